import Metrics
package import PrometheusRegistry
import TimerMetrics
package import TimerScheduling

/// All metrics of the service, as of now.
///
/// Ticks, missed deadlines and failures are counted as they happen. What is live is asked for when the page is made.
package struct MetricsPage: Sendable {
  private let registry: PrometheusRegistry
  private let schedulers: [(TimerScheduler, StatisticsMetrics)]
  private let sessions: SessionStore
  private let sessionCount: Meter

  package init(
    registry: PrometheusRegistry, jobs: TimerScheduler, timeouts: TimerScheduler, sessions: SessionStore
  ) {
    self.registry = registry
    self.sessions = sessions
    schedulers = [
      (jobs, StatisticsMetrics(of: "jobs", factory: registry)),
      (timeouts, StatisticsMetrics(of: "timeouts", factory: registry)),
    ]
    sessionCount = Meter(label: "sessions", factory: registry)
  }

  /// The page in Prometheus' text format.
  package var text: String {
    get async {
      for (scheduler, metrics) in schedulers { metrics.update(with: await scheduler.statistics) }
      sessionCount.set(sessions.count)
      return registry.text
    }
  }
}
