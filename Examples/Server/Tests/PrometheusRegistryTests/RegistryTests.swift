import Metrics
import PrometheusRegistry
import Testing

@Suite struct RegistryTests {
  private let registry = PrometheusRegistry(buckets: [1])

  @Test func `The same name and dimensions give the same metric, in any order`() {
    Counter(label: "count", dimensions: [("a", "1"), ("b", "2")], factory: registry).increment()
    Counter(label: "count", dimensions: [("b", "2"), ("a", "1")], factory: registry).increment()
    #expect(registry.text == "# TYPE count_total counter\ncount_total{a=\"1\",b=\"2\"} 2\n")
  }

  @Test func `A counter doesn't fall, and ends at the largest integer`() {
    let counter = Counter(label: "count", factory: registry)
    counter.increment(by: 3)
    counter.increment(by: -2)
    #expect(registry.text.hasSuffix("count_total 3\n"))
    counter.increment(by: Int64.max)
    #expect(registry.text.hasSuffix("count_total \(Int64.max)\n"))
    counter.reset()
    #expect(registry.text.hasSuffix("count_total 0\n"))
  }

  @Test func `A name that another kind has taken isn't exported twice`() {
    Recorder(label: "value", factory: registry).record(1)
    let meter = Meter(label: "value", factory: registry)
    meter.set(7)
    #expect(registry.text.components(of: "# TYPE value") == 1)
    #expect(registry.text.contains("# TYPE value histogram\n"))
    #expect(!registry.text.contains(" 7\n"))
  }

  @Test func `A destroyed metric leaves the page, and starts anew`() {
    let one = Counter(label: "count", dimensions: [("of", "one")], factory: registry)
    Counter(label: "count", dimensions: [("of", "two")], factory: registry).increment()
    one.increment()
    one.destroy()
    #expect(registry.text == "# TYPE count_total counter\ncount_total{of=\"two\"} 1\n")
    Counter(label: "count", dimensions: [("of", "one")], factory: registry).increment()
    #expect(registry.text.contains("count_total{of=\"one\"} 1\n"))
    let timer = Timer(label: "time", factory: registry)
    let meter = Meter(label: "meter", factory: registry)
    let recorder = Recorder(label: "recorder", factory: registry)
    timer.destroy()
    meter.destroy()
    recorder.destroy()
    #expect(registry.text.components(of: "# TYPE") == 1)
  }

  @Test func `Nothing is lost when many tasks count, and each page agrees with itself`() async {
    let rounds = 2_000
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask {
          for round in 0..<rounds {
            Counter(label: "count", dimensions: [("of", "\(round % 3)")], factory: registry).increment()
            Recorder(label: "value", factory: registry).record(2)
            Meter(label: "meter", factory: registry).increment()
          }
        }
      }
      group.addTask {
        for _ in 0..<200 {
          guard let histogram = Histogram(named: "value", on: registry.text) else { continue }
          #expect(histogram.infinity == histogram.count)
          #expect(histogram.sum == 2 * histogram.count)
        }
      }
    }
    let histogram = Histogram(named: "value", on: registry.text)
    #expect(histogram == Histogram(infinity: 16_000, sum: 32_000, count: 16_000))
    #expect(registry.text.contains("meter 16000\n"))
    #expect(registry.text.contains("count_total{of=\"0\"} \(8 * 667)\n"))
    #expect(registry.text.contains("count_total{of=\"2\"} \(8 * 666)\n"))
  }
}

/// A histogram as it stands on the page.
private struct Histogram: Equatable {
  var infinity: Int
  var sum: Int
  var count: Int
}

extension Histogram {
  init?(named name: String, on page: String) {
    func value(_ line: String) -> Int? {
      page.split(separator: "\n").first { $0.hasPrefix(line + " ") }?
        .split(separator: " ").last.flatMap { Int($0) }
    }
    guard
      let infinity = value("\(name)_bucket{le=\"+Inf\"}"), let sum = value("\(name)_sum"),
      let count = value("\(name)_count")
    else { return nil }
    self.init(infinity: infinity, sum: sum, count: count)
  }
}

extension String {
  /// The number of lines of the text that begin so.
  fileprivate func components(of start: String) -> Int {
    split(separator: "\n").count { $0.hasPrefix(start) }
  }
}
