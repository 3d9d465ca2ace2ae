public import Metrics
public import TimerScheduling
import TimerSchedulingCluster

/// Counts what happens to a scheduler's timers.
///
/// | metric | kind | what |
/// |---|---|---|
/// | `timer_ticks` | counter | ticks taken |
/// | `timer_missed` | counter | deadlines without a tick of their own |
/// | `timer_failures` | counter | errors thrown by actions |
/// | `timer_lateness` | timer | how long after its deadline each tick fired |
///
/// All have one dimension, `timer`. For a timer with a name that is its name. Failures of a cluster's runs
/// have the name of the handler or, without one, of the job. Other timers without a name share `unnamed`, so
/// that a million of them make one series and not a million. Names beyond a limit share `other`, in case a
/// program makes names of data. Attempts and tokens of runs are in logs and spans only, as a metric would get
/// a series for each.
///
/// ```swift
/// var configuration = TimerScheduler.Configuration()
/// configuration.observer = MetricsTimerObserver()
/// ```
public final class MetricsTimerObserver: TimerObserver {
  private struct TimerMetrics {
    let ticks, missed, failures: Counter
    let lateness: Timer

    init(_ dimensions: [(String, String)], _ factory: any MetricsFactory) {
      ticks = Counter(label: "timer_ticks", dimensions: dimensions, factory: factory)
      missed = Counter(label: "timer_missed", dimensions: dimensions, factory: factory)
      failures = Counter(label: "timer_failures", dimensions: dimensions, factory: factory)
      lateness = Timer(label: "timer_lateness", dimensions: dimensions, factory: factory)
    }
  }

  /// A sentence for each metric of this observer and of `measureActions`, by its label, for backends that
  /// export one.
  public static let descriptions = [
    "timer_ticks": "Ticks taken, by timer.",
    "timer_missed": "Deadlines that passed without a tick of their own, by timer.",
    "timer_failures": "Errors thrown by actions, by timer.",
    "timer_lateness": "Time from a tick's deadline to the tick, by timer.",
    "timer_run": "Run time of actions, by timer.",
  ]

  private let metrics: MetricsByTimer<TimerMetrics>

  /// Creates an observer.
  ///
  /// - Parameters:
  ///   - factory: Where the metrics are made.
  ///   - nameLimit: How many timers are told apart by name.
  public init(factory: any MetricsFactory = MetricsSystem.factory, nameLimit: Int = 200) {
    metrics = MetricsByTimer(nameLimit: nameLimit) { TimerMetrics($0, factory) }
  }

  /// Counts one event.
  public func observe(_ event: TimerEvent) {
    switch event.kind {
    case .scheduled:
      // A timer that has yet to tick is exported with zeros.
      _ = metrics[event.name]
    case .ticked(let tick):
      let metrics = metrics[event.name]
      metrics.ticks.increment()
      metrics.missed.increment(by: tick.missedCount)
      metrics.lateness.record(duration: tick.lateness)
    case .actionFailed(ClusterError.runFailed(let job, let handler, _, _, _)):
      metrics[handler.isEmpty ? job : handler].failures.increment()
    case .actionFailed:
      metrics[event.name].failures.increment()
    default:
      break
    }
  }
}
