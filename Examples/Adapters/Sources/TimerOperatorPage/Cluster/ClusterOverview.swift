import TimerSchedulingCluster

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The numbers of a cluster's jobs, its pauses and its replicas, as a store has them.
struct ClusterOverview: Sendable {
  var health = Health()
  /// The backlogs of the handlers, in the order of their names.
  var backlogs: [HandlerBacklog]
  var pauses: [ClusterPause]
  /// The newest runs of the store, the newest first.
  var history: [ClusterRunRecord]
  /// The newest run of each job, if it is one of those.
  var last: [String: ClusterRunRecord]
  /// The replicas that have runs under way, or one of the newest runs.
  var replicas: [ReplicaReport]
  /// The runs of the last day.
  var day: DayChart
  /// The time of the server.
  var now: Date

  /// The number of runs of the history that are asked for. A page shows the first of them.
  static let historyLength = 500

  /// Asks the store. `day` is the chart, if it is new enough.
  init(of cluster: TimerCluster, now: Date, day: DayChart?) async throws {
    self.now = now
    history = try await cluster.history(limit: Self.historyLength)
    last = history.newest
    pauses = try await cluster.pauses()
    backlogs = try await cluster.backlogs()
    replicas = ReplicaReport.replicas(
      of: try await cluster.jobs(in: .running, limit: JobQuery.readLimit), history: history)
    if let day {
      self.day = day
    } else {
      self.day = DayChart(try await cluster.history(limit: DayChart.runLimit), at: now)
    }
    try await noteTroubles(of: cluster)
  }

  // MARK: Health

  private mutating func noteTroubles(of cluster: TimerCluster) async throws {
    for backlog in backlogs {
      health.note(.retrying, backlog.retryingCount)
      health.note(.failed, backlog.failedCount)
      guard !backlog.isPaused, let oldest = backlog.oldestDue, oldest < now - ClusterJob.overdueTime else {
        continue
      }
      let due = try await cluster.jobs(of: backlog.handler, in: .due, limit: JobQuery.readLimit)
      health.note(.overdue, due.count { $0.isOverdue(at: now, pauses: pauses) })
      if backlog.dueCount > JobQuery.readLimit { health.hasMoreJobs = true }
    }
    health.note(.held, pauses.count)
    let paused = try await cluster.jobs(in: .paused, limit: JobQuery.readLimit + 1)
    note(.held, paused) { _ in true }
    // The handlers' counts have no jobs of programs, which are few.
    let retrying = try await cluster.jobs(of: "", in: .retrying, limit: JobQuery.readLimit + 1)
    note(.retrying, retrying) { _ in true }
    guard last.values.contains(where: \.hasFailed) else { return }
    let waiting = try await cluster.jobs(in: .waiting, limit: JobQuery.readLimit + 1)
    note(.lastFailed, waiting) { [last] in last[$0.name]?.hasFailed == true }
  }

  private mutating func note(
    _ trouble: Health.Trouble, _ jobs: [ClusterJob], where isSo: (ClusterJob) -> Bool
  ) {
    health.note(trouble, jobs.prefix(JobQuery.readLimit).count(where: isSo))
    if jobs.count > JobQuery.readLimit { health.hasMoreJobs = true }
  }
}

extension [ClusterRunRecord] {
  /// The newest run of each job, if the runs begin with the newest.
  var newest: [String: ClusterRunRecord] { Dictionary(map { ($0.job, $0) }) { newest, _ in newest } }
}

extension ClusterRunRecord {
  var hasFailed: Bool { outcome == .failed || outcome == .abandoned }
}

/// A replica and its runs. One that has had no run of late isn't known.
struct ReplicaReport: Sendable {
  var name: String
  /// The number of runs under way.
  var runCount = 0
  /// When the oldest of them began.
  var oldest: Date?
  /// The time until the lease of its runs ends. Negative once others may take over.
  var leaseLeft: Duration?
  /// When its newest run began.
  var newest: Date?

  static func replicas(of running: [ClusterJob], history: [ClusterRunRecord]) -> [ReplicaReport] {
    var reports: [String: ReplicaReport] = [:]
    for run in history {
      reports[run.replica, default: ReplicaReport(name: run.replica)].note(newest: run.began)
    }
    for run in running.compactMap(\.run) {
      reports[run.replica, default: ReplicaReport(name: run.replica)].note(run)
    }
    return reports.values.sorted { NameOrder.isBefore($0.name, $1.name) }
  }

  private mutating func note(newest date: Date) { newest = max(newest ?? date, date) }

  private mutating func note(_ run: ClusterJob.Run) {
    runCount += 1
    oldest = min(oldest ?? run.began, run.began)
    leaseLeft = min(leaseLeft ?? run.leaseLeft, run.leaseLeft)
    note(newest: run.began)
  }
}
