#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension TimerSchedule {
  /// Creates a schedule from an interval that isn't a literal, such as one read from a configuration.
  ///
  /// ```swift
  /// let seconds = Double(arguments["refresh"] ?? "60") ?? .nan
  /// do {
  ///   let schedule = try TimerSchedule(validatingEvery: seconds)
  ///   start(schedule)
  /// } catch {
  ///   print(error)  // A timer's interval or delay must be a finite number of seconds, but nan was given.
  /// }
  /// ```
  ///
  /// - Throws: ``TimerScheduleError`` if the interval isn't finite or isn't greater than zero, or if a delay in
  ///   `start` is negative.
  public init(
    validatingEvery seconds: TimeInterval, starting start: Start = .afterInterval
  ) throws(TimerScheduleError) {
    guard seconds.isFinite else { throw .notFinite(seconds) }
    guard seconds > 0 else { throw .notPositive(seconds) }
    self.init(cadence: .every(Interval(seconds: seconds), starting: try start.validated()))
  }

  /// Creates a schedule from an interval that isn't a literal.
  ///
  /// - Throws: ``TimerScheduleError`` if the interval isn't greater than zero, or if a delay in `start` is negative.
  public init(
    validatingEvery interval: Duration, starting start: Start = .afterInterval
  ) throws(TimerScheduleError) {
    guard interval > .zero else { throw .notPositive(interval.seconds) }
    self.init(cadence: .every(Interval(interval), starting: try start.validated()))
  }

  /// Creates a schedule of one tick after a delay that isn't a literal.
  ///
  /// - Throws: ``TimerScheduleError`` if the delay isn't finite or is negative.
  public init(validatingAfter seconds: TimeInterval) throws(TimerScheduleError) {
    guard seconds.isFinite else { throw .notFinite(seconds) }
    guard seconds >= 0 else { throw .negative(seconds) }
    self.init(cadence: .once(after: Interval(seconds: seconds)))
  }

  /// Calls a validating initializer and stops the program if it throws, for the functions that take literals.
  static func orStop(_ make: () throws(TimerScheduleError) -> TimerSchedule) -> TimerSchedule {
    do {
      return try make()
    } catch {
      preconditionFailure(error.description)
    }
  }
}

extension TimerSchedule.Start {
  fileprivate func validated() throws(TimerScheduleError) -> Self {
    switch self {
    case .after(let delay):
      _ = try Interval(validatingDelay: delay)
    case .at(let date):
      guard !date.timeIntervalSinceReferenceDate.isNaN else { throw .notFinite(.nan) }
    case .afterInterval, .immediately, .aligned:
      break
    }
    return self
  }
}

extension Interval {
  init(validatingDelay delay: Duration) throws(TimerScheduleError) {
    guard delay >= .zero else { throw .negative(delay.seconds) }
    self.init(delay)
  }
}

extension Date {
  func orStopIfNotANumber() -> Date {
    precondition(!timeIntervalSinceReferenceDate.isNaN, "A timer's date must be a number, but NaN was given.")
    return self
  }
}

extension Duration {
  fileprivate var seconds: TimeInterval { self / .seconds(1) }
}
