import TimerSchedulingCluster

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// An operator's action on a job of the cluster, for all replicas.
package enum JobAction: String, CaseIterable, BulkAction {
  /// The job's name.
  package typealias Key = String

  case pause, resume, run, retry, cancel, giveUp, withdraw, remove, backfill

  package static let noun = "job"
  /// The actions for many jobs at a time. To cancel gives up attempts that wait, too.
  static let ofMany: [JobAction] = [.retry, .remove, .pause, .resume, .run, .cancel]

  /// Performs the action. `dates` are those of a backfill, or the date of a run.
  func perform(
    on job: String, of cluster: TimerCluster, by person: String, reason: String = "",
    dates: ClosedRange<Date>? = nil
  ) async throws {
    switch self {
    case .pause: try await cluster.pause(job, by: person, reason: reason)
    case .resume: try await cluster.resume(job, by: person)
    case .run: try await cluster.run(job, for: dates?.lowerBound)
    case .retry: try await cluster.retry(job)
    case .cancel, .giveUp: try await cluster.cancelRun(of: job, by: person)
    case .withdraw: try await cluster.cancelRequests(of: job)
    case .remove: if try await !cluster.remove(name: job) { throw ClusterError.jobUnknown(job: job) }
    case .backfill: if let dates { try await cluster.backfill(job, in: dates) }
    }
  }

  package var title: String {
    switch self {
    case .pause: "Pause"
    case .resume: "Resume"
    case .run: "Run now"
    case .retry: "Retry now"
    case .cancel: "Cancel the run"
    case .giveUp: "Give up"
    case .withdraw: "Withdraw requests"
    case .remove: "Remove"
    case .backfill: "Backfill"
    }
  }

  /// The first word of the title, as it stands before a number of jobs.
  var verb: String { String(title.prefix { $0 != " " }) }

  package var participle: String {
    switch self {
    case .pause: "paused"
    case .resume: "resumed"
    case .run: "asked to run"
    case .retry: "retried"
    case .cancel: "cancelled"
    case .giveUp: "given up"
    case .withdraw: "freed of requests"
    case .remove: "removed"
    case .backfill: "backfilled"
    }
  }

  package var reverse: JobAction? {
    switch self {
    case .pause: .resume
    case .resume: .pause
    case .run, .retry, .cancel, .giveUp, .withdraw, .remove, .backfill: nil
    }
  }

  package var isHeldBack: Bool { self == .remove }

  /// The question before an action that can't be taken back. Nil for any other action.
  func question(for job: String) -> String? {
    switch self {
    case .cancel: "Cancel the run of \(job)?"
    case .giveUp: "Give up the waiting attempt of \(job)?"
    case .withdraw: "Withdraw the requests for \(job)?"
    case .remove: "Remove \(job) for good?"
    case .pause, .resume, .run, .retry, .backfill: nil
    }
  }

  /// Whether a job's page offers the action. A backfill has a form of its own.
  func isOffered(for job: ClusterJob) -> Bool {
    switch self {
    case .pause: !job.isPaused
    case .resume: job.isPaused
    case .run: job.state != .failed
    case .retry: job.retry != nil || job.state == .failed
    case .cancel: job.run != nil
    case .giveUp: job.retry != nil
    case .withdraw: !job.requests.isEmpty
    case .remove: !job.handler.isEmpty
    case .backfill: false
    }
  }

  /// Whether a job's row offers the action. A job that isn't at its end is removed on its page.
  func isInRow(of job: ClusterJob) -> Bool {
    isOffered(for: job) && (self != .remove || job.state == .failed)
  }

  /// Whether the action does something to a job that was selected among others.
  func isUseful(for job: ClusterJob) -> Bool {
    isOffered(for: job) || (self == .cancel && JobAction.giveUp.isOffered(for: job))
  }
}

extension ClusterJob {
  /// The time after which a date that no replica has taken is overdue.
  static let overdueTime = 60.0

  /// Whether the job was put, its date passed more than a minute ago, no pause concerns it, and no replica
  /// has taken it.
  func isOverdue(at now: Date, pauses: [ClusterPause]) -> Bool {
    guard !handler.isEmpty, run == nil, !isPaused, let nextDate else { return false }
    let isHeld = pauses.contains { $0.handler == nil || $0.handler == handler }
    return !isHeld && nextDate < now - Self.overdueTime
  }
}

/// An operator's pause of a handler or of the whole cluster, for all replicas, or its end.
enum PauseAction: String {
  case pauseHandler, resumeHandler, pauseAll, resumeAll

  /// Whether the action is on a handler.
  var needsHandler: Bool { self == .pauseHandler || self == .resumeHandler }

  func perform(on handler: String, of cluster: TimerCluster, by person: String, reason: String) async throws {
    switch self {
    case .pauseHandler: try await cluster.pause(handler: handler, by: person, reason: reason)
    case .resumeHandler: try await cluster.resume(handler: handler, by: person)
    case .pauseAll: try await cluster.pauseAll(by: person, reason: reason)
    case .resumeAll: try await cluster.resumeAll(by: person)
    }
  }
}
