import Foundation

/// The tables of results.
extension WorkloadName {
  var title: String {
    switch self {
    case .w1: "W1: schedule one timer and cancel another, of so many, CPU µs"
    case .w1s: "W1s: make one stream and drop another, of so many, CPU µs"
    case .w2: "W2: memory of a pending timer, of so many, bytes"
    case .w3: "W3: fire so many timers within 200 ms, CPU µs each"
    case .w3s: "W3s: fire so many timers at one instant, CPU µs each"
    case .w4: "W4: so many timers of 100 ms for 5 s, lateness in µs"
    case .w4t: "W4t: the same with a tolerance of 1 ms, lateness in µs"
    case .w5: "W5: so many timers wait for 10 s, voluntary context switches"
    case .w6: "W6: a timer of 10 ms, lateness in µs"
    case .w10: "W10: one timer of 10 ms, a tick: voluntary context switches, CPU µs, lateness in µs"
    case .w7: "W7: restart a timer, of so many, CPU µs"
    case .w8: "W8: so many threads schedule and cancel"
    case .w9: "W9: so many timers go on, each with a tick every 2 s, all within 200 ms, CPU µs a tick"
    }
  }

  /// The tables for the numbers of timers that there are results for.
  func tables(for counts: [Int]) -> [Table] {
    guard !counts.isEmpty else { return [] }
    return switch self {
    case .w1, .w1s: [table(counts, [.replace])]
    case .w2: [table(counts, [.pending, .held, .heldAfterTrimming])]
    case .w3, .w3s, .w9: [table(counts, [.fire])]
    case .w4, .w4t:
      counts.map { table([$0], [.load, .p50, .p99, .p999, .maximum, .minimum, .drift, .missed]) }
    case .w5: [table(counts, [.switches, .load])]
    case .w6: [table(counts, [.p50, .p99, .p999, .minimum, .drift])]
    case .w10: [table(counts, [.switches, .fire, .p50, .p99])]
    case .w7: [table(counts, [.restart])]
    case .w8: [table(counts, [.operationsPerSecond, .replace])]
    }
  }

  func table(_ counts: [Int], _ metrics: [Metric]) -> Table {
    let columns = metrics.flatMap { metric in
      counts.map { count in
        let number = count.formatted(.number.locale(Locale(identifier: "en_US")))
        return Table.Column(
          heading: metrics.count == 1 ? number : "\(number): \(metric.title)", count: count, metric: metric)
      }
    }
    let base = [.w6, .w10].contains(self) ? .dispatchSource : peers[0]
    return Table(title: title, rows: peers, base: base, columns: columns)
  }
}
