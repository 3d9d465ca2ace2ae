public import Foundation

extension CronRule {
  /// Returns the first date later than `date` at which the rule ticks.
  ///
  /// The date is a whole minute of local time. There is none after the year 9999, nor before the year 1.
  ///
  /// There are exceptions before 8 January 1972. Where the offset of a time zone had seconds, a whole minute of local
  /// time isn't one of Universal Time. Where such an offset ended, and the clock passed over a time of day that the
  /// rule names, the date is the moment of the change: on 7 January 1972, clocks in Monrovia went from 00:00:00 to
  /// 00:44:30.
  ///
  /// ```swift
  /// let rule = try CronRule("0 0 29 2 *", timeZone: .gmt)
  /// print(rule.nextTick(after: clock.date) ?? .distantFuture)  // 2004-02-29 00:00:00 +0000
  /// ```
  ///
  /// - Parameter date: Any date, with or without fractions of a second.
  /// - Returns: The first date, or nil when there is none.
  /// - Complexity: O(1) where the local clock shows the next time allowed. The search goes by months, of 40 years at
  ///   most, and asks the time zone for up to a dozen offsets, or some twenty more where the local clock is changed
  ///   within two days. If the rule says how often, and the clock passes over that time, another such search begins
  ///   after it. Where all times are passed over, as those of `*/5 2 8-14 3 */7` are in New York since 2007, the search
  ///   goes to the year 9999, takes some 40 ms and finds none.
  public func nextTick(after date: Date) -> Date? {
    let seconds = date.timeIntervalSinceReferenceDate
    guard seconds < Double(Self.end) else { return nil }
    // Greater than a fraction of a second is greater than the second.
    let moment = Int(max(seconds, Double(Self.start)).rounded(.down))
    return firstMoment(after: moment).map { Date(timeIntervalSinceReferenceDate: Double($0)) }
  }

  private static let start = CalendarDay(year: 1, month: 1, day: 1).number * 86_400
  private static let end = CalendarDay(year: CronFields.lastYear + 1, month: 1, day: 1).number * 86_400

  /// The first moment after `moment` at which the rule ticks.
  ///
  /// The search goes from one change of the clock to the next while there are any before the next time allowed.
  private func firstMoment(after moment: Int) -> Int? {
    let clock = LocalClock(timeZone: timeZone)
    var start = moment
    var next = fields.firstTime(from: firstTime(after: moment, on: clock))
    while let time = next {
      let due = time - clock.offset(at: start)
      let end = min(due, start + LocalClock.span)
      if let change = clock.change(after: start, through: end) {
        start = change.moment
        if fields.namesTimesOfDay {
          if time < change.timeAfter { return start }
        } else {
          next = fields.firstTime(from: change.timeAfter)
        }
      } else if end == due {
        return due
      } else {
        // Nothing is due until a span before, as changes in between repeat only times that have been looked at.
        start = max(end, due - LocalClock.span)
      }
    }
    return nil
  }

  /// The first time that is of interest after a moment, in seconds.
  private func firstTime(after moment: Int, on clock: LocalClock) -> Int {
    let time = clock.time(at: moment) + 1
    guard fields.namesTimesOfDay,
      let change = clock.change(after: moment - LocalClock.span, through: moment)
    else { return time }
    // What was shown before the clock was set back doesn't count again.
    return max(time, change.timeBefore)
  }
}
