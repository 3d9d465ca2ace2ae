public import TimerSchedulingFoundation

/// A rule that gives the dates at which a timer ticks, such as that of a calendar or a cron expression.
///
/// ```swift
/// struct Doubling: TickRule {
///   let start: Date
///
///   func nextTick(after date: Date) -> Date? {
///     start + max(1, 2 * date.timeIntervalSince(start))
///   }
/// }
///
/// let ticks = scheduler.ticks(on: .rule(Doubling(start: .now)))
/// ```
///
/// With the calendar product, rules combine: by `union`, `excluding` and `filter`.
public protocol TickRule: Sendable {
  /// Returns the first date after `date` at which the timer ticks, or nil if there is none.
  ///
  /// It is called on the thread that makes the timer, and later in the task that takes a tick, never on the
  /// scheduler's queue. A date that isn't later than `date` ends the rule, like nil. When the wall clock is
  /// set back, the rule is asked for the first date of the new time. A rule whose dates depend on anything
  /// else, such as the system's time zone, isn't asked again when that changes: give the timer its schedule
  /// anew.
  func nextTick(after date: Date) -> Date?
}

extension TickRule {
  /// Returns the next tick, or nil if the rule's date ends it because it isn't later than `date`.
  package func firstTick(after date: Date) -> Date? { nextTick(after: date).flatMap { $0 > date ? $0 : nil } }
}

/// A rule made of others, which its description contains.
package protocol CombinedRule: TickRule, CustomStringConvertible {}
