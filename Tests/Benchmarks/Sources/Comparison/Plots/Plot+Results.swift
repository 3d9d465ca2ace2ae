import Foundation

/// The plots of a comparison.
extension Plot {
  static func all(of measurements: [Measurement]) -> [Plot] {
    [
      cost(.replace, in: .w1, of: measurements, title: "To schedule one timer and cancel another"),
      cost(.restart, in: .w7, of: measurements, title: "To restart a timer"),
      cost(.fire, in: .w3, of: measurements, title: "To fire timers that are due within 200 ms"),
      lateness(in: .w6, 1, of: measurements, title: "One timer of 10 ms"),
      lateness(in: .w4, 10_000, of: measurements, title: "10,000 timers of 100 ms"),
      lateness(in: .w4t, 10_000, of: measurements, title: "10,000 timers of 100 ms, tolerance 1 ms"),
    ].filter { !$0.lines.isEmpty }
  }

  /// The cost of one timer by the number of timers.
  private static func cost(
    _ metric: Metric, in workload: WorkloadName, of measurements: [Measurement], title: String
  ) -> Plot {
    let found = measurements.filter { $0.workload == workload }
    let counts = Set(found.map(\.count)).filter { $0 > 0 }.sorted()
    return Plot(
      name: "\(workload)-cost", title: title, xLabel: "timers", yLabel: "CPU time of one in µs",
      xMarks: counts.map { ($0.formatted(.number.locale(.init(identifier: "en_US"))), Double($0)) },
      lines: workload.lines { peer in
        counts.compactMap { count in
          found.sample(metric, of: peer, count: count).map { (Double(count), $0.median) }
        }
      })
  }

  /// The lateness of ticks, the latest of them on the right.
  private static func lateness(
    in workload: WorkloadName, _ count: Int, of measurements: [Measurement], title: String
  ) -> Plot {
    let found = measurements.filter { $0.workload == workload && $0.count == count }
    return Plot(
      name: "\(workload)-lateness", title: title, xLabel: "percentile", yLabel: "lateness in µs",
      xMarks: [("0", 1), ("50", 2), ("90", 10), ("99", 100), ("99.9", 1000), ("99.99", 10_000)],
      lines: workload.lines { peer in
        let curves = found.filter { $0.peer == peer }.compactMap(\.curve)
        let length = curves.map(\.count).min() ?? 0
        return (0..<length).compactMap { index in
          // The number of ticks of which one is later.
          let share = 100 / (100 - Findings.percentile(ofPoint: index))
          return Sample(curves.map { $0[index] }).map { (share, max($0.median, 0.1)) }
        }
      })
  }
}

extension WorkloadName {
  fileprivate func lines(points: (PeerName) -> [(x: Double, y: Double)]) -> [Plot.Line] {
    peers.compactMap { peer in
      let points = points(peer)
      guard !points.isEmpty, let color = PeerName.allCases.firstIndex(of: peer) else { return nil }
      return Plot.Line(title: peer.title, points: points, color: color)
    }
  }
}
