import Foundation

/// One result, a line of the results file.
struct Measurement: Codable, Sendable {
  var workload: WorkloadName
  var peer: PeerName
  var count: Int
  var values: Values

  var line: String {
    get throws {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys]
      return String(decoding: try encoder.encode(self), as: UTF8.self)
    }
  }
}
