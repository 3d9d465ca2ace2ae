extension CronRule {
  /// A field of a cron expression.
  public enum Field: Sendable, Hashable {
    /// The first field, 0 to 59.
    case minute
    /// The second field, 0 to 23.
    case hour
    /// The third field, 1 to 31.
    case dayOfMonth
    /// The fourth field, 1 to 12 or JAN to DEC.
    case month
    /// The fifth field, 0 to 7 or SUN to SAT. Both 0 and 7 are Sunday.
    case dayOfWeek
  }
}

extension CronRule.Field {
  /// The fields of an expression, in their order.
  package static let allCases: [Self] = [.minute, .hour, .dayOfMonth, .month, .dayOfWeek]

  /// The field's name in a message.
  package var title: String {
    switch self {
    case .minute: "minute"
    case .hour: "hour"
    case .dayOfMonth: "day of month"
    case .month: "month"
    case .dayOfWeek: "day of week"
    }
  }

  /// The numbers an expression may contain.
  package var numbers: ClosedRange<Int> {
    switch self {
    case .minute: 0...59
    case .hour: 0...23
    case .dayOfMonth: 1...31
    case .month: 1...12
    case .dayOfWeek: 0...7
    }
  }

  /// The distinct values of the field.
  package var values: ClosedRange<Int> {
    switch self {
    case .dayOfWeek: 0...6
    case .minute, .hour, .dayOfMonth, .month: numbers
    }
  }

  /// The names of the values, starting with the first value.
  package var names: [String] {
    switch self {
    case .minute, .hour, .dayOfMonth: []
    case .month: ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"]
    case .dayOfWeek: ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"]
    }
  }
}
