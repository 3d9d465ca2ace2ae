import Metrics
package import PrometheusRegistry
import TimerMetrics
import TimerOperatorPage
package import TimerScheduling

/// All metrics of the service, as of now.
///
/// Ticks, missed deadlines and failures are counted as they happen. What is live is asked for when the page
/// is made.
package struct MetricsPage: Sendable {
  private let registry: PrometheusRegistry
  private let schedulers: [(TimerScheduler, StatisticsMetrics)]
  private let threads: ThreadMetrics
  private let sessions: SessionStore
  private let sessionCount: Meter

  /// A sentence for each metric of the service, by its label.
  static let descriptions: [String: String] = [
    "sessions": "Live sessions.",
    "hb.requests": "Requests that were answered, by route and status.",
    "hb.request.errors": "Requests that ended with an error, by route.",
    "http.server.request.duration": "Time from a request's head to the end of its response, by route.",
    "http.server.active_requests": "Requests that are being answered.",
  ]
  .merging(MetricsTimerObserver.descriptions) { own, _ in own }
  .merging(StatisticsMetrics.descriptions) { own, _ in own }
  .merging(ThreadMetrics.descriptions) { own, _ in own }
  .merging(OperatorPage.metricDescriptions) { own, _ in own }

  package init(
    registry: PrometheusRegistry, jobs: TimerScheduler, timeouts: TimerScheduler, sessions: SessionStore
  ) {
    self.registry = registry
    self.sessions = sessions
    schedulers = [
      (jobs, StatisticsMetrics(of: "jobs", factory: registry)),
      (timeouts, StatisticsMetrics(of: "timeouts", factory: registry)),
    ]
    threads = ThreadMetrics(factory: registry)
    sessionCount = Meter(label: "sessions", factory: registry)
  }

  /// The page in Prometheus' text format.
  package var text: String {
    get async {
      for (scheduler, metrics) in schedulers { metrics.update(with: await scheduler.statistics) }
      threads.update()
      sessionCount.set(sessions.count)
      return registry.text
    }
  }
}
