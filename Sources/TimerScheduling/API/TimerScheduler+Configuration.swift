extension TimerScheduler {
  /// A function that encloses the run of an action for one tick, passed as `body`.
  public typealias ActionInterceptor = TimerScheduling.ActionInterceptor

  /// The settings of a scheduler.
  public struct Configuration: Sendable {
    /// The name of the scheduler's dispatch queue, which debuggers and crash reports show.
    public var label = "TimerScheduler"

    /// The tolerance of timers whose schedule sets none, zero by default.
    ///
    /// Timers whose tolerances overlap fire together, at one wakeup and with one date.
    public var tolerance = Duration.zero

    /// The longest time until the scheduler notices that an owner is gone, one second by default.
    ///
    /// The process is woken this often only while an owner isn't a ``TimerOwner``, which ends its own timers.
    public var ownerCheckInterval = Duration.seconds(1)

    /// The observer, which receives all events of the scheduler's timers. Nil by default.
    public var observer: (any TimerObserver)?

    /// Whether errors that no ``observer`` receives are printed to standard error, true by default.
    ///
    /// Without an observer, the first error of each timer is printed. With one, only errors after a timer's
    /// end are.
    ///
    /// If a timer's first run has waited for the main actor for ten intervals, a line says so as well, once
    /// in a process. It comes after a second at the earliest, and not for intervals of more than ten seconds.
    public var printsFailures = true

    /// A closure that encloses each run of an action for one tick. Nil by default.
    ///
    /// Use it to wrap every action in a span, a time limit or a task-local value. It receives the tick and
    /// the run, and calls the run before it returns, or never to skip it. A child task may call the run.
    /// Calling it again meanwhile stops the program. The interceptor's errors count as the action's.
    ///
    /// The interceptor runs on the action's isolation, unless it has a capture list, because of a bug in
    /// Swift 6.3. If the timer has ended, is paused or has another schedule when the interceptor calls the
    /// run, the action isn't run. After a pause, the interceptor gets the tick again, and with it a run. An
    /// interceptor that uses the scheduler should hold it weakly.
    ///
    /// ```swift
    /// var configuration = TimerScheduler.Configuration()
    /// configuration.interceptor = { tick, body in
    ///   logger.info("\(ActionRun.current?.name ?? "a timer") begins for \(tick.scheduledDate)")
    ///   try await body()
    /// }
    /// ```
    public var interceptor: ActionInterceptor?

    /// Creates the default configuration.
    public init() {}
  }
}
