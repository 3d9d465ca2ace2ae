public import Metrics
import Synchronization
public import TimerScheduling

/// Counts what happens to a scheduler's timers.
///
/// | metric | kind | what |
/// |---|---|---|
/// | `timer_ticks` | counter | ticks taken |
/// | `timer_missed` | counter | deadlines without a tick of their own |
/// | `timer_failures` | counter | errors thrown by actions |
/// | `timer_lateness` | timer | how long after its deadline each tick fired |
///
/// All have one dimension, `timer`. For a timer with a name that is its name. Timers without one share
/// `unnamed`, so that a million of them make one series and not a million. Names beyond a limit share `other`, in case
/// a program makes names of data.
///
/// ```swift
/// var configuration = TimerScheduler.Configuration()
/// configuration.observer = MetricsTimerObserver()
/// ```
public final class MetricsTimerObserver: TimerObserver {
  private struct TimerMetrics {
    let ticks, missed, failures: Counter
    let lateness: Timer

    init(_ timer: String, _ factory: any MetricsFactory) {
      let dimensions = [("timer", timer)]
      ticks = Counter(label: "timer_ticks", dimensions: dimensions, factory: factory)
      missed = Counter(label: "timer_missed", dimensions: dimensions, factory: factory)
      failures = Counter(label: "timer_failures", dimensions: dimensions, factory: factory)
      lateness = Timer(label: "timer_lateness", dimensions: dimensions, factory: factory)
    }
  }

  private let factory: any MetricsFactory
  private let nameLimit: Int
  /// Guards the metrics of each name.
  private let metrics = Mutex<[String: TimerMetrics]>([:])

  /// Creates an observer.
  ///
  /// - Parameters:
  ///   - factory: Where the metrics are made.
  ///   - nameLimit: How many timers are told apart by name.
  public init(factory: any MetricsFactory = MetricsSystem.factory, nameLimit: Int = 200) {
    self.factory = factory
    self.nameLimit = nameLimit
  }

  /// Counts one event.
  public func observe(_ event: TimerEvent) {
    switch event.kind {
    case .scheduled:
      // A timer that has yet to tick is exported with zeros.
      _ = metrics(of: event)
    case .ticked(let tick):
      let metrics = metrics(of: event)
      metrics.ticks.increment()
      metrics.missed.increment(by: tick.missedCount)
      metrics.lateness.record(duration: tick.lateness)
    case .actionFailed:
      metrics(of: event).failures.increment()
    default:
      break
    }
  }

  private func metrics(of event: TimerEvent) -> TimerMetrics {
    metrics.withLock { metrics in
      let timer =
        event.name.map { metrics[$0] != nil || metrics.count < nameLimit ? $0 : "other" } ?? "unnamed"
      if let known = metrics[timer] { return known }
      let new = TimerMetrics(timer, factory)
      metrics[timer] = new
      return new
    }
  }
}
