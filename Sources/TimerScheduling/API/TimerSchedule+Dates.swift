public import TimerSchedulingFoundation

extension TimerSchedule {
  /// Returns the dates of the ticks of a timer made with this schedule at a date, each computed when read.
  ///
  /// They are due dates, without tolerance and jitter, and end with the schedule's limit, last date or rule.
  /// A tick that is due at once, as with `.immediately` or a start that has passed, has `date` itself.
  ///
  /// The clock's dates go from September 1677 to April 2262, and the sequence ends with them. From an earlier
  /// `date` on, it begins with the schedule's first date in this range, and is empty if the schedule counts
  /// from `date`. It is empty as well from a `date` that isn't a number, and ends where an interval or a
  /// delay is longer than 292 years.
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
    let start = Deadline(date)
    let reading = ClockReading(monotonic: start, wall: start)
    let recurrence = Recurrence(jitter(upTo: .zero), jitterSeed: 0, at: start) { reading }
    var dates = DatesAhead(recurrence: recurrence, now: reading, remainingCount: recurrence.limit)
    if start == .past {
      // The clock can't hold the moment, so it holds no deadline that is counted from there.
      if recurrence.timeline == .monotonic { dates.remainingCount = 0 }
      _ = dates.recurrence.pass(at: reading)
    }
    return dates
  }
}
