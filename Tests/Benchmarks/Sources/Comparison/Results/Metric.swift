/// A measured quantity and its unit.
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
  /// The growth of the timers' lateness, in microseconds for each second.
  case drift

  // Numbers.
  case operations
  case operationsPerSecond
  case ticks
  case missed
  case switches

  /// Whether a ratio to another peer's figure is meaningful.
  var isCompared: Bool {
    switch self {
    case .replace, .schedule, .cancel, .restart, .fire, .pending, .load, .p50, .p99, .p999, .maximum,
      .operationsPerSecond:
      true
    case .held, .heldAfterTrimming, .minimum, .drift, .operations, .ticks, .missed, .switches: false
    }
  }

  var title: String {
    switch self {
    case .replace, .schedule, .cancel, .restart, .fire: "CPU µs"
    case .pending: "pending"
    case .held: "after cancelling"
    case .heldAfterTrimming: "and trimming"
    case .load: "CPU %"
    case .p50: "p50"
    case .p99: "p99"
    case .p999: "p99.9"
    case .maximum: "max"
    case .minimum: "min"
    case .drift: "drift µs/s"
    case .operations: "operations"
    case .operationsPerSecond: "per second"
    case .ticks: "ticks"
    case .missed: "missed"
    case .switches: "switches"
    }
  }
}
