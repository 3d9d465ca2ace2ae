public import TimerScheduling

/// A handle on a job of a cluster, for this replica.
///
/// Its methods affect this replica only: other replicas go on with the job. To pause it for all of them, call
/// ``TimerCluster/pause(_:by:reason:)``.
public struct ClusterTimer: Sendable {
  let timer: ScheduledTimer

  /// The name of the job.
  public var name: String { timer.name ?? "" }

  /// Stops claiming dates. A run under way continues.
  public func pause() { timer.pause() }

  /// Claims dates again, and checks at once for a due date.
  ///
  /// After `resumeAll()` of the scheduler, the check comes when the time that was left at the pause has passed.
  public func resume() { timer.resume(.immediately) }

  /// Leaves the job to the other replicas. A run under way is cancelled, and counts as abandoned when it throws.
  public func cancel() { timer.cancel() }

  /// Leaves the job to the other replicas, and waits for a run under way to return.
  public func cancelAndWait() async { await timer.cancelAndWait() }

  /// Whether this replica takes part in the job.
  public var state: ScheduledTimer.State { timer.state }

  /// The last error of a run on this replica.
  public var failure: (any Error)? { timer.failure }
}
