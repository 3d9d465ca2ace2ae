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
    /// The process is woken this often while timers have owners that have to be looked for, and not otherwise. A
    /// ``TimerOwner`` ends its timers by itself when it is released, whatever this says.
    public var ownerCheckInterval = Duration.seconds(1)

    /// Is told what becomes of the scheduler's timers. Nil by default.
    public var observer: (any TimerObserver)?

    /// Whether the first error of each timer's action is printed to standard error where there is no ``observer``. True by
    /// default, so that an action doesn't fail in silence.
    public var printsFailures = true

    /// Encloses each run of an action for one tick. Nil by default.
    ///
    /// For what is to be around every action: a span, a time limit, a task-local value. It is given the tick and the
    /// run, which it calls before it returns, or not at all to have it left out. What it throws counts as thrown by
    /// the action. Read ``ActionRun/current`` to learn which timer is running.
    ///
    /// It may call the run in another task. If the action is still running there when the interceptor returns, the
    /// timer waits for the action before it runs again, so that runs of one timer never overlap. Calling the run after
    /// the interceptor has returned, or while it is under way, stops the program.
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
    /// It runs on the action's isolation. (A closure with a list of captures doesn't, by a fault of Swift 6.3; the
    /// action itself does.) If the timer has ended when it calls the run, there is none. One that was
    /// paused meanwhile runs: the run began with the interceptor. The scheduler holds its interceptor, so one that needs
    /// the scheduler should hold it weakly.
    public var interceptor: ActionInterceptor?

    /// Creates the default configuration.
    public init() {}
  }
}
