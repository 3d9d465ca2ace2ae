import Metrics
import Synchronization

/// A count that only grows.
final class CounterMetric: CounterHandler, ExportedMetric {
  private let count = Mutex<Int64>(0)

  /// Adds an amount. Negative ones are left out, and the largest integer is the end.
  func increment(by amount: Int64) {
    guard amount > 0 else { return }
    count.withLock { count in
      let (sum, overflows) = count.addingReportingOverflow(amount)
      count = overflows ? .max : sum
    }
  }

  func reset() {
    count.withLock { $0 = 0 }
  }

  func samples(_ labels: LabelSet) -> [Sample] {
    [Sample(labels: labels, value: String(count.withLock { $0 }))]
  }
}
