public import TimerScheduling

/// A replica's part in a job or a handler.
///
/// Its methods affect this replica only: other replicas go on. To pause a job for all of them, call
/// ``TimerCluster/pause(_:by:reason:)``. The part ends with ``cancel()`` or with the scheduler.
public struct ClusterRegistration: Sendable {
  /// The name of the job or the handler.
  public let name: String
  let timer: ScheduledTimer
  let timers: RunTimers

  /// The largest number of runs of the handler that this replica has at a time.
  ///
  /// A new number holds at once, and ends no run: with more runs than that, the replica claims none until
  /// enough have ended. Runs of a job of the program don't overlap, so there it has no effect.
  ///
  /// ```swift
  /// let mails = cluster.handle("mail", limit: 10) { run in logger.info("a mail to \(run.payload)") }
  /// mails.limit = 50
  /// ```
  ///
  /// - Precondition: A new limit is one or more.
  public var limit: Int {
    get { timers.limit }
    nonmutating set {
      precondition(
        newValue > 0, "A handler has one run at a time or more, but a limit of \(newValue) was given.")
      timers.limit = newValue
      // A pause stays.
      if timer.state == .scheduled { timer.fire() }
    }
  }

  /// Stops claiming dates. Runs under way continue.
  public func pause() { timer.pause() }

  /// Claims dates again, at once or, by the scheduler's `resumeAll()`, within two fifths of a lease.
  public func resume() { timer.resume(.immediately) }

  /// Leaves the dates to the other replicas. A run under way is cancelled. When it throws, any replica begins
  /// its date again, without an attempt used up. With ``AbandonedRunBehavior/leave`` it counts as abandoned.
  public func cancel() { timers.cancel() }

  /// Leaves the dates to the other replicas, and waits for runs under way to return.
  public func cancelAndWait() async { await timers.cancelAndWait() }

  /// Whether this replica takes part.
  public var state: ScheduledTimer.State { timer.state }

  /// The last error of a run on this replica.
  public var failure: (any Error)? { timers.failure }
}
