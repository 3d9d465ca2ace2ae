public import TimerSchedulingFoundation

/// An error that says why a number isn't an interval or a delay, or why a text isn't a schedule.
@nonexhaustive(warn)
public enum TimerScheduleError: Error, Hashable, CustomStringConvertible {
  /// The number is infinite or not a number.
  case notFinite(TimeInterval)
  /// An interval is zero or negative. The value is in seconds.
  case notPositive(TimeInterval)
  /// A delay is negative. The value is in seconds.
  case negative(TimeInterval)
  /// A text isn't a schedule: the part after `offset` characters isn't the expected one.
  case unreadable(String, offset: Int, expected: String)

  /// A sentence that names the given value and the allowed values.
  public var description: String {
    switch self {
    case .notFinite(let seconds):
      Self.sentence("A timer's interval or delay", isNotFinite: seconds)
    case .notPositive(let seconds):
      "A timer's interval must be greater than zero, but \(seconds) seconds was given."
    case .negative(let seconds):
      "A timer's delay must be zero or more, but \(seconds) seconds was given."
    case .unreadable(let text, let offset, let expected):
      "\"\(text)\" isn't a schedule: \(Self.found(in: text, at: offset)), where \(expected) is expected."
    }
  }

  static func sentence(_ subject: StaticString, isNotFinite seconds: TimeInterval) -> String {
    "\(subject) must be a finite number of seconds, but \(seconds) was given."
  }

  private static func found(in text: String, at offset: Int) -> String {
    let rest = text.dropFirst(offset).prefix { $0 != "," && !$0.isWhitespace }
    return offset >= text.count
      ? "it ends"
      : "there is \"\(rest.isEmpty ? text.dropFirst(offset).prefix(1) : rest)\" at character \(offset + 1)"
  }
}

/// An error that says that an operation took longer than ``withTimeout(_:on:_:)-(Duration,_,_)`` allows.
public struct TimeoutError: Error, Hashable, CustomStringConvertible {
  /// The longest time that the operation was allowed to take.
  public var limit: Duration

  package init(limit: Duration) { self.limit = limit }

  /// A sentence that names the limit.
  public var description: String { "The operation took longer than \(limit)." }
}
