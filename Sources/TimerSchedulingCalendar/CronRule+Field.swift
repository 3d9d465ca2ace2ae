extension CronRule {
  /// A field of a cron expression.
  public enum Field: Sendable, Hashable {
    /// The first of six fields, 0 to 59. An expression of five fields has none, and its second is 0.
    case second
    /// 0 to 59.
    case minute
    /// 0 to 23.
    case hour
    /// 1 to 31, and L, L-1 to L-30, LW and 1W to 31W.
    case dayOfMonth
    /// 1 to 12 or JAN to DEC.
    case month
    /// 0 to 7 or SUN to SAT, and these with L or #1 to #5. Both 0 and 7 are Sunday.
    case dayOfWeek
  }
}

extension CronRule.Field {
  /// The field's name in a message.
  package var title: String {
    switch self {
    case .second: "second"
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
    case .second, .minute: 0...59
    case .hour: 0...23
    case .dayOfMonth: 1...31
    case .month: 1...12
    case .dayOfWeek: 0...7
    }
  }

  /// The other entries that the field may contain besides values, ranges and steps, as text for a message.
  /// The text is empty if there are none.
  package var entries: String {
    switch self {
    case .dayOfMonth: "L, L-1 to L-30, LW or 1W to 31W"
    case .dayOfWeek: "a day with L or with #1 to #5, as in FRIL and FRI#2"
    case .second, .minute, .hour, .month: ""
    }
  }

  /// The distinct values of the field.
  package var values: ClosedRange<Int> {
    switch self {
    case .dayOfWeek: 0...6
    case .second, .minute, .hour, .dayOfMonth, .month: numbers
    }
  }

  /// The names of the values, starting with the first value.
  package var names: [String] {
    switch self {
    case .second, .minute, .hour, .dayOfMonth: []
    case .month: ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"]
    case .dayOfWeek: ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"]
    }
  }
}
