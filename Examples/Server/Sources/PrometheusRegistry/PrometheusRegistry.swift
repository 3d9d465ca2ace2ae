public import Metrics
import Synchronization

/// A backend for swift-metrics that answers a scrape in Prometheus' text format.
///
/// Counters become counters whose name ends in `_total`. Meters, and recorders that don't aggregate, become
/// gauges. Recorders that do become histograms, and timers become histograms of seconds whose name ends in
/// `_seconds`. Characters that Prometheus doesn't know in names are replaced by underscores.
///
/// ```swift
/// let registry = PrometheusRegistry(descriptions: ["requests": "Requests that were answered."])
/// MetricsSystem.bootstrap(registry)
/// Counter(label: "requests", dimensions: [("method", "GET")]).increment()
/// print(registry.text)
/// // # HELP requests_total Requests that were answered.
/// // # TYPE requests_total counter
/// // requests_total{method="GET"} 1
/// ```
///
/// Asking twice for a metric of one name and the same dimensions, in any order, gives the same one. A metric
/// whose name is taken by one of another kind counts for itself and isn't exported, as Prometheus would
/// refuse the page.
public final class PrometheusRegistry: MetricsFactory {
  private let buckets: [Double]
  private let descriptions: [String: String]
  /// Guards the metrics of each name.
  private let families = Mutex<[String: MetricFamily]>([:])

  /// Creates a registry without metrics.
  ///
  /// - Parameters:
  ///   - buckets: The upper bounds of all histograms' buckets, without infinity, in ascending order. Those of
  ///     timers are in seconds.
  ///   - descriptions: A sentence for each metric, by its label as it is asked for. It stands in the `# HELP`
  ///     line.
  /// - Precondition: The bounds ascend.
  public init(
    buckets: [Double] = PrometheusRegistry.defaultBuckets, descriptions: [String: String] = [:]
  ) {
    precondition(
      zip(buckets, buckets.dropFirst()).allSatisfy(<),
      "The bounds of buckets must ascend, but these don't: \(buckets)")
    self.buckets = buckets
    self.descriptions = descriptions
  }

  /// From 100 microseconds to 10 seconds.
  public static let defaultBuckets = [
    0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
  ]

  /// The page that answers a scrape: all metrics, by name.
  public var text: String {
    let families = families.withLock { $0 }.sorted { $0.key < $1.key }
    return families.map { name, family in family.text(named: name) }.joined()
  }

  /// The media type of ``text``.
  public static let contentType = "text/plain; version=0.0.4; charset=utf-8"

  // MARK: MetricsFactory

  /// Returns the counter of a name and dimensions.
  public func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
    metric(.counter, label, suffix: "_total", dimensions) { CounterMetric() }
  }

  /// Returns the gauge of a name and dimensions.
  public func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
    metric(.gauge, label, dimensions) { GaugeMetric() }
  }

  /// Returns the histogram or gauge of a name and dimensions.
  public func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool)
    -> any RecorderHandler
  {
    guard aggregate else { return metric(.gauge, label, dimensions) { GaugeMetric() } }
    return metric(.histogram, label, dimensions) { HistogramMetric(buckets: buckets) }
  }

  /// Returns the histogram of seconds of a name and dimensions.
  public func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
    metric(.histogram, label, suffix: "_seconds", dimensions) {
      HistogramMetric(buckets: buckets)
    }
  }

  /// Forgets a counter, which is no longer exported.
  public func destroyCounter(_ handler: any CounterHandler) { remove(handler) }

  /// Forgets a gauge, which is no longer exported.
  public func destroyMeter(_ handler: any MeterHandler) { remove(handler) }

  /// Forgets a recorder, which is no longer exported.
  public func destroyRecorder(_ handler: any RecorderHandler) { remove(handler) }

  /// Forgets a timer, which is no longer exported.
  public func destroyTimer(_ handler: any TimerHandler) { remove(handler) }

  // MARK: Families

  private func metric<Metric: ExportedMetric>(
    _ kind: MetricFamily.Kind, _ label: String, suffix: String = "", _ dimensions: [(String, String)],
    make: () -> Metric
  ) -> Metric {
    let name = MetricName(label, suffix: suffix)
    let family = MetricFamily(kind: kind, description: descriptions[label])
    let labels = LabelSet(dimensions)
    return families.withLock { families in
      let metric = families[name.text]?.metrics[labels]
      if let metric = metric as? Metric { return metric }
      let new = make()
      if families[name.text, default: family].kind == kind {
        families[name.text, default: family].metrics[labels] = new
      }
      return new
    }
  }

  private func remove(_ handler: AnyObject) {
    families.withLock { families in
      families = families.compactMapValues { $0.without(handler) }
    }
  }
}
