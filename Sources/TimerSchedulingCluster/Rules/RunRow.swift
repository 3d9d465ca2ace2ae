/// The record of a run. One that ran no action is hidden from operators.
package struct RunRow: Sendable, Hashable, Codable {
  package var record: ClusterRunRecord
  package var isHidden = false

  /// Whether its action has failed, or it was abandoned.
  var isFailed: Bool { !isHidden && [.failed, .abandoned].contains(record.outcome) }
}
