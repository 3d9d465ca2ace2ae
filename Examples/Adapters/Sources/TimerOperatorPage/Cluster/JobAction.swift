import TimerSchedulingCluster

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// An operator's action on a job of the cluster, for all replicas.
enum JobAction: String, CaseIterable {
  case pause, resume, run, retry, cancel, giveUp, withdraw, backfill

  /// Performs the action. `dates` are those of a backfill.
  func perform(
    on job: String, of cluster: TimerCluster, by person: String, reason: String, dates: ClosedRange<Date>?
  ) async throws {
    switch self {
    case .pause: try await cluster.pause(job, by: person, reason: reason)
    case .resume: try await cluster.resume(job, by: person)
    case .run: try await cluster.run(job)
    case .retry: try await cluster.retry(job)
    case .cancel, .giveUp: try await cluster.cancelRun(of: job, by: person)
    case .withdraw: try await cluster.cancelRequests(of: job)
    case .backfill: if let dates { try await cluster.backfill(job, in: dates) }
    }
  }

  var title: String {
    switch self {
    case .pause: "Pause"
    case .resume: "Resume"
    case .run: "Run now"
    case .retry: "Retry now"
    case .cancel: "Cancel the run"
    case .giveUp: "Give up"
    case .withdraw: "Withdraw requests"
    case .backfill: "Backfill"
    }
  }

  /// The question before an action that can't be taken back. Nil for any other action.
  func question(for job: String) -> String? {
    switch self {
    case .cancel: "Cancel the run of \(job)?"
    case .giveUp: "Give up the waiting attempt of \(job)?"
    case .withdraw: "Withdraw the requests for \(job)?"
    case .pause, .resume, .run, .retry, .backfill: nil
    }
  }

  /// Whether a job's row offers the action. A backfill has a form of its own.
  func isOffered(for job: ClusterJob) -> Bool {
    switch self {
    case .pause: !job.isPaused
    case .resume: job.isPaused
    case .run: true
    case .retry: job.retry != nil || job.hasFailedForGood
    case .cancel: job.run != nil
    case .giveUp: job.retry != nil
    case .withdraw: !job.requests.isEmpty
    case .backfill: false
    }
  }
}

extension ClusterJob {
  /// Whether the job is still there because its last date has failed or was abandoned.
  var hasFailedForGood: Bool { !handler.isEmpty && nextDate == nil && run == nil }

  /// Whether the job was put, its date passed more than a minute ago, no pause concerns it, and no replica
  /// has taken it.
  func isOverdue(at now: Date, pauses: [ClusterPause]) -> Bool {
    guard !handler.isEmpty, run == nil, !isPaused, let nextDate else { return false }
    let isHeld = pauses.contains { $0.handler == nil || $0.handler == handler }
    return !isHeld && nextDate < now - 60
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
