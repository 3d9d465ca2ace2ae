import Foundation

/// The layout of a workload's results.
struct Table {
  struct Column {
    var heading: String
    var count: Int
    var metric: Metric
  }

  var title: String
  var rows: [PeerName]
  /// The peer that ratios compare with.
  var base: PeerName
  var columns: [Column]

  /// The table in Markdown. A brief one, for a page, has no title and no ranges.
  func text(of measurements: [Measurement], isBrief: Bool = false) -> String {
    let found = Set(measurements.map(\.peer))
    let head = ["", "---"].map { start in
      columns.reduce("| \(start) |") { "\($0) \(start.isEmpty ? $1.heading : "---:") |" }
    }
    let body = rows.filter(found.contains).map { peer in
      columns.reduce("| \(peer.title) |") { "\($0) \(cell($1, of: peer, in: measurements, isBrief)) |" }
    }
    return ((isBrief ? [] : ["### \(title)", ""]) + head + body).joined(separator: "\n")
  }

  private func cell(
    _ column: Column, of peer: PeerName, in measurements: [Measurement], _ isBrief: Bool
  ) -> String {
    guard let sample = measurements.sample(column.metric, of: peer, count: column.count) else { return "" }
    var parts: [String] = []
    if column.metric.isCompared, peer != base,
      let reference = measurements.sample(column.metric, of: base, count: column.count)?.median, reference > 0
    {
      parts.append("**\((sample.median / reference).text)×**")
    }
    parts.append(sample.median.text)
    if !sample.isSingle, !isBrief { parts.append("(\(sample.minimum.text)–\(sample.maximum.text))") }
    return parts.joined(separator: " ")
  }
}

extension Double {
  /// With three digits.
  var text: String {
    formatted(
      .number.precision(.significantDigits(1...3)).locale(Locale(identifier: "en_US")))
  }
}
