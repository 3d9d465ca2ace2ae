/// The record of a run. One that ran no action is hidden from operators.
package struct RunRow: Sendable, Hashable, Codable {
  package var record: ClusterRunRecord
  package var isHidden = false
}
