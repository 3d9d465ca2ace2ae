public import Foundation
public import TimerScheduling

extension TickRule {
  /// Returns a rule with the dates of both rules. A date of both is one tick.
  ///
  /// The rule computes each date when it is needed, and keeps nothing in between. A part must give the same
  /// dates, from whatever date they are computed. `TimerSchedule`s with the rule are equal if both parts are
  /// `Hashable` and equal, each in its place.
  ///
  /// ```swift
  /// let quarterEnds = try CronRule("0 9 L 3-12/3 *", timeZone: .gmt)
  /// let days = try CronRule("0 9 * * MON-FRI", timeZone: .gmt).union(quarterEnds)
  /// print(days.nextTick(after: Date(timeIntervalSinceReferenceDate: 7_700_000)) ?? .distantFuture)
  /// ```
  /// ```text
  /// 2001-03-31 09:00:00 +0000
  /// ```
  ///
  /// - Complexity: Each date takes a call of both rules, even of one without further dates, whose search may
  ///   take long.
  public func union(_ other: some TickRule) -> some TickRule {
    UnionRule(first: self, second: other)
  }

  /// Returns a rule with the dates of this rule that aren't dates of the other.
  ///
  /// Only a date that is exactly one of the other rule's is left out: a rule of holidays needs this rule's
  /// time of day. The rule ends, like one that returns nil, when it has left out 10,000 dates in a row. So a
  /// rule with a date in each second can leave out two hours and three quarters, but not a night. Let such a
  /// rule name its hours, as in `* * 6-22 * * *`. The combined rule keeps nothing between its dates. Both
  /// parts must give the same dates, from whatever date they are computed. `TimerSchedule`s with the rule are
  /// equal if both parts are `Hashable` and equal.
  ///
  /// ```swift
  /// let christmas = try CronRule("0 9 25,26 12 *", timeZone: .gmt)
  /// let workdays = try CronRule("0 9 * * MON-FRI", timeZone: .gmt).excluding(christmas)
  /// print(workdays.nextTick(after: Date(timeIntervalSinceReferenceDate: 30_974_400)) ?? .distantFuture)
  /// ```
  /// ```text
  /// 2001-12-27 09:00:00 +0000
  /// ```
  ///
  /// - Complexity: Each date, and each date left out before it, takes a call of this rule and one or a few
  ///   calls of the other. If this rule leaves out dates, too, the two numbers multiply.
  public func excluding(_ other: some TickRule) -> some TickRule {
    ExcludingRule(base: self, excluded: other)
  }

  /// Returns a rule with the dates of this rule for which a closure returns true.
  ///
  /// The closure is called by the thread that makes a timer, and by tasks that take ticks. It has to return
  /// the same for a date each time. The rule ends, like one that returns nil, when it has left out 10,000
  /// dates in a row, as with ``excluding(_:)``.
  ///
  /// A closure has no text and can't be compared. So a `TimerSchedule` with the rule is unequal to all
  /// schedules, and a job of a cluster can't have it. For a cluster write a rule of your own, whose
  /// description has all that its dates depend on.
  ///
  /// ```swift
  /// let mondays = try CronRule("0 9 * * MON", timeZone: .gmt)
  /// let everyOther = mondays.filter { Int($0.timeIntervalSinceReferenceDate) / 604_800 % 2 == 0 }
  /// print(everyOther.nextTick(after: Date(timeIntervalSinceReferenceDate: 86_400)) ?? .distantFuture)
  /// ```
  /// ```text
  /// 2001-01-15 09:00:00 +0000
  /// ```
  ///
  /// - Complexity: Each date, and each date left out before it, takes a call of this rule and of the closure.
  ///   In nested filters the numbers of dates left out multiply, so write one closure.
  public func filter(_ isIncluded: @escaping @Sendable (Date) -> Bool) -> some TickRule {
    FilteredRule(base: self, isIncluded: isIncluded)
  }
}

/// The largest number of dates in a row that a rule leaves out.
private let mostLeftOut = 10_000

private struct UnionRule<First: TickRule, Second: TickRule>: CombinedRule {
  let first: First
  let second: Second

  func nextTick(after date: Date) -> Date? {
    let (first, second) = (first.firstTick(after: date), second.firstTick(after: date))
    guard let first, let second else { return first ?? second }
    return min(first, second)
  }

  var description: String { "(\(first.text)) or (\(second.text))" }
}

private struct ExcludingRule<Base: TickRule, Excluded: TickRule>: CombinedRule {
  let base: Base
  let excluded: Excluded

  func nextTick(after date: Date) -> Date? {
    base.firstTick(after: date) { !excluded.gives($0) }
  }

  var description: String { "(\(base.text)) but not (\(excluded.text))" }
}

private struct FilteredRule<Base: TickRule>: CombinedRule {
  let base: Base
  let isIncluded: @Sendable (Date) -> Bool

  func nextTick(after date: Date) -> Date? {
    base.firstTick(after: date, where: isIncluded)
  }

  var description: String { "(\(base.text)) where \(String(describing: isIncluded))" }
}

extension UnionRule: Equatable where First: Equatable, Second: Equatable {}
extension UnionRule: Hashable where First: Hashable, Second: Hashable {}
extension ExcludingRule: Equatable where Base: Equatable, Excluded: Equatable {}
extension ExcludingRule: Hashable where Base: Hashable, Excluded: Hashable {}

extension TickRule {
  /// Returns the first tick that is included, or nil after too many that aren't.
  fileprivate func firstTick(after date: Date, where isIncluded: (Date) -> Bool) -> Date? {
    var last = date
    for _ in 0..<mostLeftOut {
      guard let next = firstTick(after: last) else { return nil }
      if isIncluded(next) { return next }
      last = next
    }
    return nil
  }

  /// Whether a date is one of the rule's.
  fileprivate func gives(_ date: Date) -> Bool {
    // Asked from the closest date before, a rule that calculates with rounded numbers may miss its own date.
    let seconds = date.timeIntervalSinceReferenceDate
    let before = Date(timeIntervalSinceReferenceDate: min(seconds - 0.001, seconds.nextDown))
    return firstTick(after: before) { $0 >= date } == date
  }
}
