import Foundation

/// One result, a line of the results file.
struct Measurement: Codable, Sendable {
  var workload: WorkloadName
  var peer: PeerName
  /// The number of timers, or in W8 of threads.
  var count: Int
  var values: [Metric: Double]
  var curve: [Double]?

  init(workload: WorkloadName, peer: PeerName, count: Int, _ findings: Findings) {
    self.workload = workload
    self.peer = peer
    self.count = count
    values = findings.values.mapValues(\.rounded)
    curve = findings.curve?.map(\.rounded)
  }

  init(line: some StringProtocol) throws {
    self = try JSONDecoder().decode(Self.self, from: Data(line.utf8))
  }

  /// The main findings, for a quick look.
  var summary: String {
    let values = values.map { "\($0.rawValue) \($1)" }.sorted().joined(separator: ", ")
    return "\(workload) \(peer) \(count): \(values)"
  }

  var line: String {
    get throws {
      let encoder = JSONEncoder()
      encoder.outputFormatting = .sortedKeys
      return String(decoding: try encoder.encode(self), as: UTF8.self)
    }
  }
}

extension Double {
  /// With four digits, which is more than is known.
  fileprivate var rounded: Double {
    guard self != 0 else { return 0 }
    let unit = pow(10, 3 - log10(magnitude).rounded(.down))
    return (self * unit).rounded() / unit
  }
}
