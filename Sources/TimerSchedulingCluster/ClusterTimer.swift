public import TimerScheduling

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A handle on a job of a cluster, for this replica.
///
/// What it does concerns this replica only: other replicas go on with the job. ``TimerCluster/pause(_:)`` pauses a job for
/// all of them.
public struct ClusterTimer: Sendable {
  let timer: ScheduledTimer

  /// The name of the job.
  public var name: String { timer.name ?? "" }

  /// Stops claiming dates. A run under way goes on.
  public func pause() { timer.pause() }

  /// Claims dates again, and looks at once whether there is one.
  public func resume() { timer.resume(.immediately) }

  /// Leaves the job to the other replicas. A run under way is cancelled, and counts as abandoned when it throws.
  public func cancel() { timer.cancel() }

  /// Leaves the job to the other replicas, and waits for a run under way to return.
  public func cancelAndWait() async { await timer.cancelAndWait() }

  /// Whether this replica takes part.
  public var state: ScheduledTimer.State { timer.state }

  /// When this replica asks the store next, by the local wall clock. Nil while it is paused and after its end.
  public var nextDate: Date? { timer.nextDate }

  /// What a run of this replica or a question to the store last threw.
  public var failure: (any Error)? { timer.failure }
}
