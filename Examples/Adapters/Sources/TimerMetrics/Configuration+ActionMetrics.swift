public import Metrics
import TimerObserving
public import TimerScheduling
import TimerSchedulingCluster

extension TimerScheduler.Configuration {
  /// Measures how long runs of actions take, as `timer_run` with the dimension `timer`.
  ///
  /// The dimension is the timer's name, and is limited as ``MetricsTimerObserver`` says. That of a cluster's
  /// run is its handler or, without one, its job. Prometheus' backends make a histogram of seconds of it. An
  /// interceptor that is there runs within what is measured.
  ///
  /// ```swift
  /// var configuration = TimerScheduler.Configuration()
  /// configuration.measureActions()
  /// ```
  ///
  /// - Parameters:
  ///   - factory: Where the metrics are made.
  ///   - nameLimit: How many timers are told apart by name.
  public mutating func measureActions(
    factory: any MetricsFactory = MetricsSystem.factory, nameLimit: Int = 200
  ) {
    let durations = MetricsByTimer(nameLimit: nameLimit) { dimensions in
      Timer(label: "timer_run", dimensions: dimensions, factory: factory)
    }
    encloseActions { tick, body in
      let start = ContinuousClock.now
      let name =
        ClusterRun.current.map { $0.handler.isEmpty ? $0.name : $0.handler } ?? ActionRun.current?.name
      defer { durations[name].record(duration: ContinuousClock.now - start) }
      try await body()
    }
  }
}
