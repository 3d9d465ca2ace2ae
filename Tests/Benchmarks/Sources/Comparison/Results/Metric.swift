/// What was measured, in which unit.
enum Metric: String, Codable, CodingKeyRepresentable, Sendable {
  // CPU time for one timer, in microseconds.
  case replace
  case schedule
  case cancel
  case restart

  // Bytes for one timer.
  case pending
  case held
  case heldAfterTrimming

  /// How many operations were measured.
  case operations
}
