public import Foundation

extension CronRule {
  /// Returns the first date later than `date` at which the rule ticks.
  ///
  /// The date is a whole second of local time, and a whole minute if the expression has five fields. There is
  /// none after the year 9999 or before the year 1.
  ///
  /// There are exceptions before 8 January 1972. Where a time zone's offset had seconds, a whole minute of
  /// local time isn't one of Universal Time. Where such an offset ended, and the clock skipped a time of day
  /// that the rule names, the date is the moment of the change. On 7 January 1972, clocks in Monrovia went
  /// from 00:00:00 to 00:44:30.
  ///
  /// ```swift
  /// let rule = try CronRule("0 0 29 2 *", timeZone: .gmt)
  /// print(rule.nextTick(after: clock.date) ?? .distantFuture)  // 2004-02-29 00:00:00 +0000
  /// ```
  ///
  /// - Parameter date: Any date, with or without fractions of a second.
  /// - Returns: The first date, or nil if there is none.
  /// - Complexity: O(1) if the local clock shows the next allowed time. The search goes by months, over 40
  ///   years at most, and reads up to a dozen offsets of the time zone. It reads some twenty more if the
  ///   local clock is changed within two days. If the rule says how often, and the clock skips the found
  ///   time, another such search begins after it. If the clock skips all times, the search goes to the year
  ///   9999, takes about 40 ms and finds none. An example is `*/5 2 8-14 3 */7` in New York since 2007.
  public func nextTick(after date: Date) -> Date? {
    let seconds = date.timeIntervalSinceReferenceDate
    guard seconds < Double(Self.end) else { return nil }
    // A moment later than a fraction of a second is also later than the whole second.
    let moment = Int(max(seconds, Double(Self.start)).rounded(.down))
    return firstMoment(after: moment).map { Date(timeIntervalSinceReferenceDate: Double($0)) }
  }

  /// Returns the last date earlier than `date` at which the rule ticks.
  ///
  /// Its dates are those of ``nextTick(after:)``, in both directions, also where the local clock is changed.
  ///
  /// ```swift
  /// let rule = try CronRule("0 9 LW * *", timeZone: .gmt)
  /// print(rule.previousTick(before: clock.date) ?? .distantPast)  // 2000-12-29 09:00:00 +0000
  /// ```
  ///
  /// - Parameter date: Any date, with or without fractions of a second.
  /// - Returns: The last date, or nil if there is none.
  /// - Complexity: As of ``nextTick(after:)``. If all times are skipped, the search goes to the year before
  ///   which they weren't.
  public func previousTick(before date: Date) -> Date? {
    let seconds = date.timeIntervalSinceReferenceDate
    guard seconds > Double(Self.start) else { return nil }
    // A moment earlier than a fraction of a second is also earlier than the next whole second.
    let moment = Int(min(seconds, Double(Self.end)).rounded(.up)) - 1
    guard let last = lastMoment(through: moment), last > Self.start else { return nil }
    return Date(timeIntervalSinceReferenceDate: Double(last))
  }

  /// The beginning of the year 1 in Universal Time, after which the dates begin.
  private static let start = CalendarDay(year: 1, month: 1, day: 1).number * 86_400
  /// Moments from here on are in the year 10,000 in every time zone.
  private static let end =
    CalendarDay(year: CronFields.lastYear + 1, month: 1, day: 1).number * 86_400 + LocalClock.span

  /// Returns the first moment after `moment` at which the rule ticks.
  ///
  /// The search goes from one clock change to the next while there is one before the next allowed time.
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
        // Nothing is due until one span before `due`: changes in between only repeat times that were already
        // searched.
        start = max(end, due - LocalClock.span)
      }
    }
    return nil
  }

  /// Returns the first local time to consider after a moment, in seconds.
  private func firstTime(after moment: Int, on clock: LocalClock) -> Int {
    let time = clock.time(at: moment) + 1
    guard fields.namesTimesOfDay,
      let change = clock.change(after: moment - LocalClock.span, through: moment)
    else { return time }
    // Times shown before the clock was set back don't count again.
    return max(time, change.timeBefore)
  }

  /// Returns the last moment not after `moment` at which the rule ticks.
  ///
  /// The search goes from one clock change to the one before while there is one after the last allowed time.
  private func lastMoment(through moment: Int) -> Int? {
    let clock = LocalClock(timeZone: timeZone)
    var end = moment
    var last = fields.lastTime(through: clock.time(at: end))
    while let time = last {
      let due = time - clock.offset(at: end)
      let start = max(due, end - LocalClock.span)
      var change = clock.change(after: start, through: end)
      // The clock has skipped a time of day that the rule names.
      if let change, fields.namesTimesOfDay, time >= change.timeBefore { return change.moment }
      if change == nil, start == due {
        guard fields.namesTimesOfDay else { return due }
        change = clock.change(after: due - LocalClock.span, through: due)
        // Times shown before the clock was set back don't count again.
        guard let change, time < change.timeBefore else { return due }
      }
      if let change {
        end = change.moment - 1
        last = fields.lastTime(through: change.timeBefore - 1)
      } else {
        // Nothing is due from one span after `due` on.
        end = min(start, due + LocalClock.span)
      }
    }
    return nil
  }
}
