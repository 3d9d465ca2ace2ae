public import Metrics
import Synchronization
public import TimerScheduling

/// Exports a scheduler's statistics, as of when it is told to.
///
/// | metric | kind | what |
/// |---|---|---|
/// | `timer_scheduler_active`, `_paused`, `_running` | gauges | live timers, and actions under way |
/// | `timer_scheduler_ticks`, `_missed`, `_failures`, `_wakeups`, `_dropped_events` | counters | since the scheduler was made |
/// | `timer_scheduler_lateness_seconds` | gauges | one each for the quantiles 0.5, 0.99 and 1 |
///
/// All have a dimension `scheduler`. Unlike an observer this costs timers nothing, so it suits a scheduler of
/// a million.
///
/// ```swift
/// let metrics = StatisticsMetrics(of: "sessions")
/// metrics.update(with: await scheduler.statistics)
/// ```
public final class StatisticsMetrics: Sendable {
  /// A sentence for each metric, by its label, for backends that export one.
  public static let descriptions = [
    "timer_scheduler_active": "Live timers that aren't paused.",
    "timer_scheduler_paused": "Paused timers.",
    "timer_scheduler_running": "Actions that are running.",
    "timer_scheduler_ticks": "Ticks taken.",
    "timer_scheduler_missed": "Deadlines that passed without a tick of their own.",
    "timer_scheduler_failures": "Errors thrown by actions.",
    "timer_scheduler_wakeups": "Times that the scheduler was woken by the system.",
    "timer_scheduler_dropped_events": "Events that the observer was too slow to take.",
    "timer_scheduler_lateness_seconds": "Quantiles of the time from a deadline to its tick.",
  ]

  private let active, paused, running: Meter
  private let p50, p99, max: Meter
  private let ticks, missed, failures, wakeups, droppedEvents: Total

  /// Creates the metrics of a scheduler.
  ///
  /// - Parameters:
  ///   - scheduler: What to call the scheduler.
  ///   - factory: Where the metrics are made.
  public init(of scheduler: String, factory: any MetricsFactory = MetricsSystem.factory) {
    func meter(_ label: String, _ dimensions: [(String, String)] = []) -> Meter {
      Meter(
        label: "timer_scheduler_" + label, dimensions: [("scheduler", scheduler)] + dimensions,
        factory: factory)
    }
    func total(_ label: String) -> Total {
      Total(
        Counter(label: "timer_scheduler_" + label, dimensions: [("scheduler", scheduler)], factory: factory))
    }
    active = meter("active")
    paused = meter("paused")
    running = meter("running")
    p50 = meter("lateness_seconds", [("quantile", "0.5")])
    p99 = meter("lateness_seconds", [("quantile", "0.99")])
    max = meter("lateness_seconds", [("quantile", "1")])
    ticks = total("ticks")
    missed = total("missed")
    failures = total("failures")
    wakeups = total("wakeups")
    droppedEvents = total("dropped_events")
  }

  /// Has the metrics show what a scheduler's statistics say.
  public func update(with statistics: TimerStatistics) {
    active.set(statistics.activeCount)
    paused.set(statistics.pausedCount)
    running.set(statistics.runningCount)
    p50.set(statistics.lateness.p50 / .seconds(1))
    p99.set(statistics.lateness.p99 / .seconds(1))
    max.set(statistics.lateness.max / .seconds(1))
    ticks.raise(to: statistics.tickCount)
    missed.raise(to: statistics.missedCount)
    failures.raise(to: statistics.failureCount)
    wakeups.raise(to: statistics.wakeupCount)
    droppedEvents.raise(to: statistics.droppedEventCount)
  }
}

/// Exports how the actions of the process, of all its schedulers, use the threads that they share.
///
/// | metric | kind | what |
/// |---|---|---|
/// | `timer_threads_waiting_runs` | gauge | actions that wait for a thread |
/// | `timer_threads_blocked` | gauge | threads that actions block |
///
/// ```swift
/// let metrics = ThreadMetrics()
/// metrics.update()
/// ```
public final class ThreadMetrics: Sendable {
  /// A sentence for each metric, by its label, for backends that export one.
  public static let descriptions = [
    "timer_threads_waiting_runs": "Actions of the process that wait for a thread.",
    "timer_threads_blocked": "Threads that actions of the process block.",
  ]

  private let waitingRuns, blocked: Meter

  /// Creates the metrics of the process.
  ///
  /// - Parameter factory: Where the metrics are made.
  public init(factory: any MetricsFactory = MetricsSystem.factory) {
    waitingRuns = Meter(label: "timer_threads_waiting_runs", dimensions: [], factory: factory)
    blocked = Meter(label: "timer_threads_blocked", dimensions: [], factory: factory)
  }

  /// Has the metrics show what is the case now.
  public func update() {
    let threads = TimerScheduler.sharedThreads
    waitingRuns.set(threads.waitingRunCount)
    blocked.set(threads.blockedCount)
  }
}

/// A counter that is told its total. Counters can only be added to.
private final class Total: Sendable {
  private let counter: Counter
  /// Guards what the counter shows.
  private let shown = Mutex(0)

  init(_ counter: Counter) {
    self.counter = counter
  }

  /// Has the counter show a total, unless it shows a greater one, as of a later update.
  func raise(to total: Int) {
    shown.withLock { shown in
      counter.increment(by: max(total - shown, 0))
      shown = max(total, shown)
    }
  }
}
