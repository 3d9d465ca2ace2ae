import TimerSchedulingCluster

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// An operator's action on a job of the cluster, for all replicas.
enum JobAction: String, CaseIterable {
  case pause, resume, run, cancel, backfill

  /// Performs the action. `dates` are those of a backfill.
  func perform(
    on job: String, of cluster: TimerCluster, by person: String, reason: String, dates: ClosedRange<Date>?
  ) async throws {
    switch self {
    case .pause: try await cluster.pause(job, by: person, reason: reason)
    case .resume: try await cluster.resume(job, by: person)
    case .run: try await cluster.run(job)
    case .cancel: try await cluster.cancelRun(of: job, by: person)
    case .backfill: if let dates { try await cluster.backfill(job, in: dates) }
    }
  }

  var title: String {
    switch self {
    case .pause: "Pause"
    case .resume: "Resume"
    case .run: "Run now"
    case .cancel: "Cancel the run"
    case .backfill: "Backfill"
    }
  }

  /// Whether a job's row offers the action. A backfill has a form of its own.
  func isOffered(for job: ClusterJob) -> Bool {
    switch self {
    case .pause: !job.isPaused
    case .resume: job.isPaused
    case .run: true
    case .cancel: job.run != nil
    case .backfill: false
    }
  }
}
