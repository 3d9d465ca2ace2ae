/// What was measured, in which unit.
enum Metric: String, Codable, CodingKeyRepresentable, Sendable {
  // CPU time for one timer, in microseconds.
  case replace
  case schedule
  case cancel
  case restart
  case fire

  // Bytes for one timer.
  case pending
  case held
  case heldAfterTrimming

  /// CPU time by time passed, in percent.
  case load

  // Lateness in microseconds.
  case minimum
  case p50
  case p99
  case p999
  case maximum
  /// How much later the last tick of a timer is than its first, in microseconds for each second.
  case drift

  // Numbers.
  case operations
  case operationsPerSecond
  case ticks
  case missed
  case switches
}
