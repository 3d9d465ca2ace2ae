import Dispatch

/// Owns any number of timers over a single dispatch timer, and exposes them as streams of tick dates.
///
/// ```swift
/// let scheduler = TimerScheduler()
/// for await date in scheduler.ticks(every: 1) { await metrics.flush(at: date) }
/// ```
///
/// Timers are made and controlled from anywhere, by synchronous calls that take effect on the calling thread.
/// Timers fire on the actor's serial queue. You needn't hold the scheduler: timers that live keep ticking,
/// and a scheduler without timers and references is released with its resources. The process is woken for due
/// timers, and each ``Configuration/ownerCheckInterval`` while an owner isn't a ``TimerOwner``.
///
/// One scheduler serves a process, with any number of timers. An idle scheduler takes 2 kB, one with its
/// first timer 5 kB, and one whose timers have fired up to 25 kB. A thousand busy schedulers can hold
/// hundreds of threads, as the queue of each takes a thread while it works.
public actor TimerScheduler {
  /// The process-wide scheduler, which lives as long as the process.
  public static let shared = TimerScheduler(
    configuration: Configuration(), clock: SystemClock(), jitterSeed: .random(in: 0 ... .max), isShared: true)

  package nonisolated let driver: TimerDriver
  private nonisolated let isShared: Bool

  /// Creates a scheduler without timers.
  ///
  /// - Precondition: The tolerance isn't negative, and the owner check interval is greater than zero.
  public init(configuration: Configuration = Configuration()) {
    self.init(configuration: configuration, clock: SystemClock(), jitterSeed: .random(in: 0 ... .max))
  }

  package init(
    configuration: Configuration, clock: any SchedulerClock, jitterSeed: UInt64, isShared: Bool = false,
    hasOwnThreads: Bool = false
  ) {
    precondition(
      configuration.tolerance >= .zero,
      "A scheduler's tolerance must be zero or more, but \(configuration.tolerance) was given.")
    let interval = configuration.ownerCheckInterval
    precondition(
      interval > .zero,
      "A scheduler's owner check interval must be greater than zero, but \(interval) was given.")
    driver = TimerDriver(
      label: configuration.label, defaultTolerance: Interval(configuration.tolerance),
      ownerCheckInterval: Interval(interval), observer: configuration.observer,
      printsFailures: configuration.printsFailures, interceptor: configuration.interceptor, clock: clock,
      jitterSeed: jitterSeed, hasOwnThreads: hasOwnThreads)
    self.isShared = isShared
  }

  /// The serial queue on which the scheduler's dispatch timer fires.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe driver.unownedExecutor }

  nonisolated func requireOwn() {
    precondition(!isShared, "The shared scheduler can't be shut down. Make a scheduler of your own.")
  }
}

extension TimerScheduler: CustomStringConvertible {
  /// The scheduler's label and the number of its timers, such as `scheduler "TimerScheduler", 3 timers`.
  public nonisolated var description: String {
    let count = driver.timerCount
    return "scheduler \"\(driver.executor.queue.label)\", \(count) \(count == 1 ? "timer" : "timers")"
  }
}

extension TimerScheduler {
  /// Makes a scheduler on the same clock that isn't shut down with this one. On threads of its own, its
  /// actions go on while others block all that schedulers share.
  package nonisolated func makeCompanion(label: String) -> TimerScheduler {
    var configuration = Configuration()
    configuration.label = label
    configuration.printsFailures = driver.printsFailures
    return TimerScheduler(
      configuration: configuration, clock: driver.clock, jitterSeed: driver.jitterSeed, hasOwnThreads: true)
  }

  /// Makes a task on the threads of the scheduler's actions.
  @discardableResult
  package nonisolated func makeTask<R: Sendable>(
    _ operation: @escaping @Sendable () async -> R
  ) -> Task<R, Never> {
    Task(executorPreference: driver.runners, operation: operation)
  }

  /// Returns the value of a task.
  @concurrent
  package nonisolated func value<R: Sendable>(of task: Task<R, Never>) async -> R { await task.value }

  /// Draws the wait after a failed attempt. Under virtual time it is the same in every run.
  package nonisolated func wait(after attempt: Int, _ backoff: Backoff) -> Duration {
    backoff.wait(after: attempt, random: driver.nextJitterSeed())
  }

  package var timerCount: Int { driver.timerCount }
  package var filedCount: Int { driver.counts.filed }
  package nonisolated var entryCount: Int { driver.counts.entries }
  package nonisolated var nameCount: Int { driver.names.count }
  package nonisolated var hasOwners: Bool { !driver.owners.isEmpty }
  package nonisolated var executor: QueueExecutor { driver.executor }
  package nonisolated var runningCount: Int { driver.runs.runningCount }

  package nonisolated func waitUntilActionsHaveEnded() async { await driver.runs.waitUntilQuiet() }
}
