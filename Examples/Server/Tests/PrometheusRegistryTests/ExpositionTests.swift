import Metrics
import PrometheusRegistry
import Testing

@Suite struct ExpositionTests {
  private let registry = PrometheusRegistry(buckets: [0.5, 1])

  @Test func `A registry without metrics has an empty page`() {
    #expect(registry.text == "")
  }

  @Test func `A counter has a name that ends in total, and its labels in order`() {
    let counter = Counter(
      label: "requests", dimensions: [("path", "/"), ("method", "GET")], factory: registry)
    counter.increment(by: 2)
    #expect(
      registry.text == """
        # TYPE requests_total counter
        requests_total{method="GET",path="/"} 2

        """)
  }

  @Test func `Counters of one name share a heading, and families come by name`() {
    Counter(label: "b", dimensions: [("of", "two")], factory: registry).increment()
    Counter(label: "b", dimensions: [("of", "one")], factory: registry).increment()
    Meter(label: "a", factory: registry).set(1.5)
    #expect(
      registry.text == """
        # TYPE a gauge
        a 1.5
        # TYPE b_total counter
        b_total{of="one"} 1
        b_total{of="two"} 1

        """)
  }

  @Test func `A description comes first, and is found by the label`() {
    let registry = PrometheusRegistry(descriptions: ["http.requests": "A \\ and\na line.", "other": "x"])
    Counter(label: "http.requests", factory: registry).increment()
    #expect(
      registry.text == """
        # HELP http_requests_total A \\\\ and\\na line.
        # TYPE http_requests_total counter
        http_requests_total 1

        """)
  }

  @Test func `A recorder's buckets are cumulative, and a bound belongs to its bucket`() {
    let recorder = Recorder(label: "size", factory: registry)
    for size in [0.25, 0.5, 0.75, 4] { recorder.record(size) }
    #expect(
      registry.text == """
        # TYPE size histogram
        size_bucket{le="0.5"} 2
        size_bucket{le="1"} 3
        size_bucket{le="+Inf"} 4
        size_sum 5.5
        size_count 4

        """)
  }

  @Test func `A timer is in seconds`() {
    let timer = Timer(label: "lateness", dimensions: [("timer", "flush")], factory: registry)
    timer.recordMilliseconds(750)
    #expect(
      registry.text == """
        # TYPE lateness_seconds histogram
        lateness_seconds_bucket{timer="flush",le="0.5"} 0
        lateness_seconds_bucket{timer="flush",le="1"} 1
        lateness_seconds_bucket{timer="flush",le="+Inf"} 1
        lateness_seconds_sum{timer="flush"} 0.75
        lateness_seconds_count{timer="flush"} 1

        """)
  }

  @Test func `Gauges and meters show their last value, and meters what was added`() {
    Gauge(label: "gauge", factory: registry).record(3)
    let meter = Meter(label: "meter", factory: registry)
    meter.set(5)
    meter.increment(by: 2)
    meter.decrement(by: 3)
    #expect(registry.text.contains("gauge 3\n"))
    #expect(registry.text.contains("meter 4\n"))
  }

  @Test(arguments: [
    (Double.infinity, "+Inf"), (-.infinity, "-Inf"), (.nan, "NaN"), (-0.5, "-0.5"), (1e300, "1e+300"),
    (1_000_000, "1000000"),
  ])
  func `Numbers are written as Prometheus reads them`(value: Double, text: String) {
    Meter(label: "value", factory: registry).set(value)
    #expect(registry.text == "# TYPE value gauge\nvalue \(text)\n")
  }

  @Test(arguments: [
    ("plain", "plain"), ("\"quoted\"", #"\"quoted\""#), (#"back\slash"#, #"back\\slash"#),
    ("two\nlines", #"two\nlines"#), ("\r\n", "\r\\n"), ("Zähler<b>", "Zähler<b>"), ("}", "}"),
  ])
  func `Label values are escaped`(value: String, text: String) {
    Counter(label: "count", dimensions: [("label", value)], factory: registry).increment()
    #expect(registry.text == "# TYPE count_total counter\ncount_total{label=\"\(text)\"} 1\n")
  }

  @Test(arguments: [
    ("http.requests", "http_requests_total"), ("requests_total", "requests_total"),
    ("9lives", "_9lives_total"),
    ("a:b", "a:b_total"), ("größe\n", "gr__e__total"), ("", "__total"),
  ])
  func `Names have only what Prometheus accepts`(label: String, name: String) {
    Counter(label: label, factory: registry).increment()
    #expect(registry.text == "# TYPE \(name) counter\n\(name) 1\n")
  }

  @Test func `Label names have only what Prometheus accepts, once each`() {
    let dimensions = [("http.route", "/"), ("http_route", "again"), ("2nd", "b"), ("a:b", "c"), ("le", "1")]
    Counter(label: "count", dimensions: dimensions, factory: registry).increment()
    #expect(
      registry.text.hasSuffix(
        "count_total{_2nd=\"b\",a_b=\"c\",exported_le=\"1\",http_route=\"/\"} 1\n"))
  }
}
