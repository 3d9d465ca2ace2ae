public import TimerSchedulingFoundation

/// The times at which a timer ticks, and its treatment of missed deadlines.
///
/// A schedule is only a description. Deadlines are counted from the moment a timer is made with it.
///
/// ```swift
/// let schedule = TimerSchedule.every(.seconds(30), starting: .immediately)
///   .missedTicks(.burst)
///   .limit(3)
/// for await date in scheduler.ticks(on: schedule) {
///   await metrics.flush(at: date)
/// }
/// ```
///
/// Times are kept to the nanosecond. An interval or a delay of more than 292 years is never over: no deadline
/// follows it. Intervals and delays are measured on a clock that stands still while the machine sleeps. A
/// schedule that starts at a date, is aligned or follows a rule uses the wall clock.
public struct TimerSchedule: Sendable {
  /// The deadlines, before they are bound to a clock.
  package enum Cadence: Sendable {
    case once(after: Interval)
    case onceAt(Date)
    case every(Interval, starting: Start.Form)
    indirect case countdown(CountdownScale)
    case countdownUntil(Date, every: Interval)
    indirect case rule(any TickRule)
  }

  package var cadence: Cadence
  package var options = Options()

  package struct Options: Sendable, Hashable {
    // First comes what each tick uses. Properties that need less than a word lie in the padding of the one
    // before.
    package var until: Deadline?
    package var missedTicks = MissedTickBehavior.skip
    package var isPaused = false
    /// Whether the first value of a countdown has a deadline, too: the moment at which the timer is made.
    package var includesStart = false
    /// The tolerance, or nil for the scheduler's default.
    package var tolerance: Interval?
    package var jitter = Interval.zero
    package var limit: Int?

    package init() {}

    /// Whether the deadlines of the cadence are those of the timer.
    var isPlain: Bool { limit == nil && until == nil && jitter == .zero }
  }

  package init(cadence: Cadence, options: Options = Options()) {
    self.cadence = cadence
    self.options = options
  }

  /// Ticks at multiples of an interval.
  ///
  /// - Precondition: `interval` is greater than zero.
  public static func every(_ interval: Duration, starting start: Start = .afterInterval) -> TimerSchedule {
    orStop(try TimerSchedule(validatingEvery: interval, starting: start))
  }

  /// Ticks at multiples of an interval in seconds.
  ///
  /// - Precondition: `seconds` is finite and greater than zero.
  @_disfavoredOverload
  public static func every(_ seconds: TimeInterval, starting start: Start = .afterInterval) -> TimerSchedule {
    orStop(try TimerSchedule(validatingEvery: seconds, starting: start))
  }

  /// Ticks once, after a delay. A delay below zero, such as the rest until a date that has passed, counts as
  /// zero.
  public static func after(_ delay: Duration) -> TimerSchedule {
    TimerSchedule(cadence: .once(after: max(Interval(delay), .zero)))
  }

  /// Ticks once, after a delay in seconds. A delay below zero counts as zero.
  ///
  /// - Precondition: `seconds` is finite.
  @_disfavoredOverload
  public static func after(_ seconds: TimeInterval) -> TimerSchedule { after(.orStop(seconds: seconds)) }

  /// Ticks once, at a date on the wall clock, also when it is set. A date that has passed is due at once.
  ///
  /// - Precondition: `date` is a number.
  public static func at(_ date: Date) -> TimerSchedule {
    TimerSchedule(cadence: .onceAt(date.orStopIfNotANumber()))
  }

  /// Ticks at the dates that a rule gives, until it returns nil.
  public static func rule(_ rule: some TickRule) -> TimerSchedule { TimerSchedule(cadence: .rule(rule)) }

  /// Creates a schedule from an interval that isn't a literal, such as one read from a configuration.
  ///
  /// ```swift
  /// let schedule = try TimerSchedule(validatingEvery: Double(arguments["refresh"] ?? "60") ?? .nan)
  /// ```
  ///
  /// - Throws: ``TimerScheduleError`` if the interval isn't finite or greater than zero.
  public init(
    validatingEvery seconds: TimeInterval, starting start: Start = .afterInterval
  ) throws(TimerScheduleError) {
    guard seconds.isFinite else { throw .notFinite(seconds) }
    guard seconds > 0 else { throw .notPositive(seconds) }
    let interval = Interval(seconds: seconds)
    self.init(cadence: .every(interval, starting: try start.bound(to: interval)))
  }

  /// Creates a schedule from an interval that isn't a literal.
  ///
  /// - Throws: ``TimerScheduleError`` if the interval isn't above zero.
  public init(
    validatingEvery interval: Duration, starting start: Start = .afterInterval
  ) throws(TimerScheduleError) {
    guard interval > .zero else { throw .notPositive(interval / .seconds(1)) }
    let interval = Interval(interval)
    self.init(cadence: .every(interval, starting: try start.bound(to: interval)))
  }

  /// Creates a schedule of one tick after a delay that isn't a literal.
  ///
  /// - Throws: ``TimerScheduleError`` if the delay isn't finite or is negative.
  public init(validatingAfter seconds: TimeInterval) throws(TimerScheduleError) {
    guard seconds.isFinite else { throw .notFinite(seconds) }
    guard seconds >= 0 else { throw .negative(seconds) }
    self.init(cadence: .once(after: Interval(seconds: seconds)))
  }

  /// Returns a schedule, and stops the program if it can't be made, for the functions that take literals.
  private static func orStop(_ make: @autoclosure () throws -> TimerSchedule) -> TimerSchedule {
    do {
      return try make()
    } catch {
      preconditionFailure("\(error)")
    }
  }
}

extension Date {
  func orStopIfNotANumber() -> Date {
    precondition(!timeIntervalSinceReferenceDate.isNaN, "A timer's date must be a number, but NaN was given.")
    return self
  }
}
