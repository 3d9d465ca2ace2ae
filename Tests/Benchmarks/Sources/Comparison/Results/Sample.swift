/// The values that several runs found for one metric.
struct Sample {
  private let values: [Double]

  /// Nil if there is none.
  init?(_ values: some Sequence<Double>) {
    self.values = values.sorted()
    if self.values.isEmpty { return nil }
  }

  var minimum: Double { values[0] }
  var maximum: Double { values[values.count - 1] }
  var isSingle: Bool { values.count == 1 }

  var median: Double {
    (values[(values.count - 1) / 2] + values[values.count / 2]) / 2
  }
}

extension Sequence<Measurement> {
  func sample(_ metric: Metric, of peer: PeerName, count: Int) -> Sample? {
    Sample(lazy.filter { $0.peer == peer && $0.count == count }.compactMap { $0.values[metric] })
  }
}
