import Metrics
import Synchronization

/// A value that goes up and down.
final class GaugeMetric: MeterHandler, RecorderHandler, ExportedMetric {
  private let value = Mutex<Double>(0)

  func set(_ value: Int64) { set(Double(value)) }

  func set(_ value: Double) {
    self.value.withLock { $0 = value }
  }

  func increment(by amount: Double) {
    value.withLock { $0 += amount }
  }

  func decrement(by amount: Double) { increment(by: -amount) }

  func record(_ value: Int64) { set(value) }

  func record(_ value: Double) { set(value) }

  func samples(_ labels: LabelSet) -> [Sample] {
    [Sample(labels: labels, value: value.withLock { $0 }.exposition)]
  }
}
