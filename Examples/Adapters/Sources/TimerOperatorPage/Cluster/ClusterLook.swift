import TimerScheduling
import TimerSchedulingCluster

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A store's answer on the jobs of a cluster.
enum ClusterLook {
  case jobs(JobPage)
  /// The store hasn't answered.
  case failed(String)

  /// A page of the jobs, with what is shown beside it.
  struct JobPage {
    var jobs: [ClusterJob] = []
    /// The name after which the next page begins. Nil for the last page.
    var next: String?
    /// The newest runs of the store, the newest first.
    var history: [ClusterRunRecord] = []
    /// The newest run of each job, if it is one of those.
    var last: [String: ClusterRunRecord] = [:]
    var pauses: [ClusterPause] = []
    /// The time of the server.
    var now: Date
  }

  /// The number of runs of the history that are asked for. A page shows the first of them.
  static let historyLength = 500

  /// Asks the store, and gives up after two seconds, so that the page comes even when a database doesn't
  /// answer.
  init(at cluster: TimerCluster, _ query: JobQuery, now: Date) async {
    do {
      self = try await withTimeout(2) { .jobs(try await JobPage(of: cluster, query, now: now)) }
    } catch {
      self = .failed("\(error)")
    }
  }
}

extension ClusterLook.JobPage {
  init(of cluster: TimerCluster, _ query: JobQuery, now: Date) async throws {
    self.now = now
    history = try await cluster.history(limit: ClusterLook.historyLength)
    last = history.newest
    pauses = try await cluster.pauses()
    // The store knows no troubles, so it is asked for many jobs to find those that have one.
    let limit = query.only == nil ? JobQuery.pageSize + 1 : Health.jobLimit
    let found = try await cluster.jobs(matching: query.search, after: query.after, limit: limit)
    let matches = found.filter { job in
      query.only.map { troubles(of: job).contains($0) } ?? true
    }
    jobs = Array(matches.prefix(JobQuery.pageSize))
    next = matches.count > jobs.count ? jobs.last?.name : found.count == limit ? found.last?.name : nil
  }

  func troubles(of job: ClusterJob) -> Set<Health.Trouble> {
    Health.troubles(of: job, last: last[job.name], pauses: pauses, at: now)
  }
}

extension [ClusterRunRecord] {
  /// The newest run of each job.
  fileprivate var newest: [String: ClusterRunRecord] {
    Dictionary(map { ($0.job, $0) }) { newest, _ in newest }
  }
}

extension Health {
  /// Counts the troubles of the first thousand jobs of a cluster.
  init(of cluster: TimerCluster, now: Date) async {
    do {
      self = try await withTimeout(2) {
        var health = Health()
        let last = try await cluster.history(limit: ClusterLook.historyLength).newest
        let jobs = try await cluster.jobs(limit: Health.jobLimit + 1)
        let pauses = try await cluster.pauses()
        for job in jobs.prefix(Health.jobLimit) {
          health.note(Health.troubles(of: job, last: last[job.name], pauses: pauses, at: now))
        }
        for _ in pauses { health.note([.held]) }
        health.hasMoreJobs = jobs.count > Health.jobLimit
        return health
      }
    } catch {
      self.init()
      isStoreSilent = true
    }
  }
}
