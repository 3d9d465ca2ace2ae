#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension TimerSchedule {
  /// Returns the dates of the ticks of a timer that is made with this schedule at `date`.
  ///
  /// Each date is computed when it is asked for. They are due dates, without tolerance and jitter, and end with the
  /// schedule's limit, its last date or its rule. A tick that is due at once, as with `.immediately` or a start date
  /// that has passed, has `date` itself.
  ///
  /// The clock's dates go from September 1677 to April 2262, and the sequence ends with them. If `date` lies before, it
  /// begins with the first of them that is a date of the schedule; a schedule that counts from `date` has none. After
  /// 2262, and for a date that isn't a number, there are no dates.
  ///
  /// ```swift
  /// let start = Date(timeIntervalSince1970: 0)
  /// for date in TimerSchedule.every(.seconds(60)).limit(2).dates(after: start) {
  ///   print(date)
  /// }
  /// ```
  /// ```text
  /// 1970-01-01 00:01:00 +0000
  /// 1970-01-01 00:02:00 +0000
  /// ```
  ///
  /// - Complexity: O(1) for each date, plus one call of a rule.
  public func dates(after date: Date) -> some Sequence<Date> & Sendable {
    DatesAhead(of: self, from: date)
  }
}
