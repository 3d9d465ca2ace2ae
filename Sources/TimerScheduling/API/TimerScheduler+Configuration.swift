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
    /// The process is woken this often only while a timer has an owner that isn't a ``TimerOwner``. A ``TimerOwner``
    /// ends its timers when it is released, whatever this interval is.
    public var ownerCheckInterval = Duration.seconds(1)

    /// The observer, which receives all events of the scheduler's timers. Nil by default.
    public var observer: (any TimerObserver)?

    /// Whether errors that no ``observer`` receives are printed to standard error.
    ///
    /// Without an observer that is the first error of each timer. With an observer, it is an error that an action throws
    /// after the timer's end. True by default, so that an action doesn't fail silently.
    public var printsFailures = true

    /// A closure that encloses each run of an action for one tick. Nil by default.
    ///
    /// Use it to wrap every action in a span, a time limit or a task-local value. It receives the tick and the run,
    /// and calls the run before it returns, or never to skip it. It may call the run in a child task. Calling the run
    /// while it is under way stops the program. An error the interceptor throws counts as thrown by the action.
    ///
    /// ```swift
    /// var configuration = TimerScheduler.Configuration()
    /// configuration.interceptor = { tick, body in
    ///   let name = ActionRun.current?.name ?? "a timer"
    ///   logger.info("\(name) begins for \(tick.scheduledDate)")
    ///   defer { logger.info("\(name) has ended") }
    ///   try await body()
    /// }
    /// ```
    ///
    /// The interceptor runs on the action's isolation. (A closure with a capture list doesn't, because of a bug in
    /// Swift 6.3; the action itself does.) If the timer has ended when the interceptor calls the run, the action
    /// isn't run. If the timer was paused meanwhile, the action runs: the run began with the interceptor. The
    /// scheduler holds its interceptor strongly, so an interceptor that uses the scheduler should hold it weakly.
    public var interceptor: ActionInterceptor?

    /// Creates the default configuration.
    public init() {}
  }
}
