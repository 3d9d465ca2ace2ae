#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Why a number isn't an interval or a delay.
@nonexhaustive(warn)
public enum TimerScheduleError: Error, Hashable {
  /// The number is infinite or not a number.
  case notFinite(TimeInterval)
  /// An interval is zero or negative. The value is in seconds.
  case notPositive(TimeInterval)
  /// A delay is negative. The value is in seconds.
  case negative(TimeInterval)
}

extension TimerScheduleError: CustomStringConvertible {
  /// A sentence that says what was given and what is allowed.
  public var description: String {
    switch self {
    case .notFinite(let seconds):
      "A timer's interval or delay must be a finite number of seconds, but \(seconds) was given."
    case .notPositive(let seconds):
      "A timer's interval must be greater than zero, but \(seconds) seconds was given."
    case .negative(let seconds):
      "A timer's delay must be zero or more, but \(seconds) seconds was given."
    }
  }
}
