import Metrics
import Synchronization

/// Values counted by size.
final class HistogramMetric: RecorderHandler, TimerHandler, ExportedMetric {
  private struct State {
    /// The number of values in each bucket. The last bucket has no upper bound.
    var counts: [Int]
    var sum = 0.0
  }

  private let bounds: [Double]
  /// Guards counts and sum, so that they agree on the page.
  private let state: Mutex<State>

  init(buckets bounds: [Double]) {
    self.bounds = bounds
    state = Mutex(State(counts: Array(repeating: 0, count: bounds.count + 1)))
  }

  func record(_ value: Int64) { record(Double(value)) }

  /// Counts a value, in the first bucket whose upper bound isn't less.
  func record(_ value: Double) {
    let bucket = bounds.firstIndex { value <= $0 } ?? bounds.count
    state.withLock { state in
      state.counts[bucket] += 1
      state.sum += value
    }
  }

  func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1e9) }

  func samples(_ labels: LabelSet) -> [Sample] {
    let state = state.withLock { $0 }
    var count = 0
    var samples: [Sample] = []
    for (bound, newCount) in zip(bounds + [.infinity], state.counts) {
      count += newCount
      samples.append(
        Sample(suffix: "_bucket", labels: labels.with(upperBound: bound.exposition), value: String(count)))
    }
    samples.append(Sample(suffix: "_sum", labels: labels, value: state.sum.exposition))
    samples.append(Sample(suffix: "_count", labels: labels, value: String(count)))
    return samples
  }
}
