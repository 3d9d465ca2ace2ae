public import Foundation
public import TimerScheduling

/// A rule that ticks at the local times a cron expression allows.
///
/// An expression has five fields, or six with the second before them, separated by blanks:
///
///     second   minute   hour   day of month   month             day of week
///     0-59     0-59     0-23   1-31           1-12 or JAN-DEC   0-7 or SUN-SAT
///
/// A field is `*`, a value, a range `a-b`, a step `*/n` or `a-b/n`, or a list of these separated by commas.
/// If a step is greater than its range, only the first value remains: `*/100` as the minute is `0`. Without a
/// second, it is `0`.
///
/// Both 0 and 7 are Sunday. Names are in English, in any case, and a range may have a number at one end and a
/// name at the other. A range that ends with `SUN` ends on day 7: `FRI-SUN` and `5-SUN` are the days from
/// Friday to Sunday. Cron daemons that take `SUN` as day 0 there reject both, and accept `5-7`.
///
/// The day fields may also contain these, alone or in a list, but not in a range or with a step:
///
///     day of month   L       the last day of the month
///                    L-3     three days before the last, L-1 to L-30
///                    15W     the weekday (Monday to Friday) nearest to the 15th, in the same month
///                    LW      the last weekday of the month
///     day of week    FRI#2   the second Friday of the month, #1 to #5; also 5#2
///                    FRIL    the last Friday of the month; also 5L
///
/// A day that a month doesn't have is skipped: `0 0 31 * *` ticks seven times a year. In a month without a
/// 31st or a fifth Friday, `31W`, `L-30` and `FRI#5` mean no day. `1W` is Monday the 3rd if the 1st is a
/// Saturday.
///
/// `@hourly`, `@daily` or `@midnight`, `@weekly`, `@monthly`, `@yearly` or `@annually` stand for a whole
/// expression. There is no field for years, and no `?`: write `*`.
///
/// ```swift
/// let rule = try CronRule("30 9 * * MON-FRI")
/// for await date in scheduler.ticks(on: .rule(rule)) {
///   await report.rotate(at: date)
/// }
/// ```
///
/// A time is allowed if its second, minute, hour and month are, and its day is. If neither of the two day
/// fields begins with `*`, one of them is enough to allow a day. So `0 0 13 * FRI` ticks on each 13th and on
/// each Friday, and `0 0 L * FRI` on each last day and on each Friday. Otherwise both must allow the day.
///
/// When the local clock is changed, as for daylight saving time, it matters whether the minute or the hour
/// begins with `*`; the second doesn't matter. If neither does, the rule names times of day. Each of them
/// ticks once: at the moment when the local clock first shows that time or a later one. Several times that
/// the clock skips at once give one tick.
///
/// If one of the two begins with `*`, the rule says how often to tick. Then each time counts as often as the
/// clock shows it, and skipped times are left out. So an hourly rule ticks every hour.
///
///     New York, forward   01:00  01:30  03:00  03:30
///     30 1 * * *                   x
///     30 2 * * *                          x
///     30 * * * *                   x             x
///
///     New York, back      01:00  01:30  01:00  01:30  02:00
///     30 1 * * *                   x
///     30 * * * *                   x             x
///
/// Two rules are equal if their fields allow the same values in the same time zone, and if they treat clock
/// changes alike. So `@weekly` equals `0 0 0 * * SUN`.
public struct CronRule: TickRule {
  /// The expression from which the rule was made.
  public let expression: String
  /// The time zone of the rule's local times.
  public let timeZone: TimeZone
  package let fields: CronFields

  /// Creates a rule from a cron expression.
  ///
  /// ```swift
  /// do {
  ///   let berlin = TimeZone(identifier: "Europe/Berlin")
  ///   start(.rule(try CronRule("0 25 * * *", timeZone: berlin ?? .current)))
  /// } catch {
  ///   print(error)
  ///   // The hour of a cron rule must be * or a number from 0 to 23, or a range or list of these,
  ///   // but "25" was given in "0 25 * * *".
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - expression: Five or six fields, or a word that begins with @.
  ///   - timeZone: The time zone of the rule's local times, by default the system's present one. An offset
  ///     counts in whole minutes. With `.autoupdatingCurrent`, a waiting timer keeps its next date when the
  ///     system's zone changes: give it the schedule anew then. Encoded and decoded, the rule has the zone of
  ///     the time of encoding.
  /// - Throws: A ``CronRuleError`` that names the wrong part and the allowed values. An expression that
  ///   allows no date at all, such as `0 0 30 2 *`, is an error too.
  /// - Complexity: O(*n*) in the length of the expression.
  public init(_ expression: String, timeZone: TimeZone = .current) throws(CronRuleError) {
    self.expression = expression
    // Only the identifier is encoded, and it has no seconds.
    let isWhole = timeZone.secondsFromGMT() % 60 == 0
    self.timeZone = isWhole ? timeZone : TimeZone(identifier: timeZone.identifier) ?? timeZone
    fields = try CronParser(expression: expression).fields()
  }
}

extension CronRule: Hashable {
  /// Returns whether the fields of two rules allow the same values, in the same time zone, and they treat
  /// clock changes alike.
  public static func == (left: CronRule, right: CronRule) -> Bool {
    left.fields == right.fields && left.timeZone == right.timeZone
  }

  /// Hashes the allowed values and the time zone.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(fields)
    hasher.combine(timeZone)
  }
}

extension CronRule: CustomStringConvertible {
  /// The expression and the time zone.
  public var description: String { "\(expression) (\(timeZone.identifier))" }
}
