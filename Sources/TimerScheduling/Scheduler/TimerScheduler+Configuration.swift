extension TimerScheduler {
  /// How a scheduler works.
  public struct Configuration: Sendable {
    /// The name of the scheduler's dispatch queue, which debuggers and crash reports show.
    public var label = "TimerScheduler"

    /// How late ticks may be of timers that don't say so themselves.
    ///
    /// Zero by default. Timers whose tolerances overlap are fired together, at one wakeup and with one
    /// date.
    public var tolerance = Duration.zero

    /// The longest time until the scheduler notices that an owner is gone, one second by default.
    ///
    /// The process is woken so often while timers have owners that have to be looked for, and not otherwise. A
    /// ``TimerOwner`` ends its timers by itself when it is released, whatever this says.
    public var ownerCheckInterval = Duration.seconds(1)

    /// Creates the default configuration.
    public init() {}
  }
}
