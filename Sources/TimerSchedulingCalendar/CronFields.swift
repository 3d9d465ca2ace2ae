import TimerScheduling

/// The local times a cron expression allows, independently of the time zone.
///
/// A local time is the number of seconds from the first moment of 2001, as a local clock shows it.
package struct CronFields: Hashable, Sendable {
  package let seconds: ValueSet
  package let minutes: ValueSet
  package let hours: ValueSet
  /// Entries of a ``CronMonth``.
  package let daysOfMonth: ValueSet
  package let months: ValueSet
  /// Entries of a ``CronMonth``.
  package let daysOfWeek: ValueSet
  /// Whether the expression names times of day rather than a frequency: neither the minute nor the hour
  /// begins with a star.
  package let namesTimesOfDay: Bool
  /// Whether a day needs to be allowed by only one of its two fields.
  package let needsOneDayField: Bool

  /// The last year of a search. The first is 0, for zones whose clocks are behind when the year 1 begins in
  /// Universal Time.
  package static let lastYear = 9999
  /// The years in which a search finds a day. 29 February falls on a given day of the week once in 28 years,
  /// or in 40 where a century has no leap year. The other days of a month depend only on its length and its
  /// first day, too.
  private static let longestSearch = 40

  package init(
    seconds: ValueSet, minutes: ValueSet, hours: ValueSet, daysOfMonth: ValueSet, months: ValueSet,
    daysOfWeek: ValueSet, namesTimesOfDay: Bool, needsOneDayField: Bool
  ) {
    self.seconds = seconds
    self.minutes = minutes
    self.hours = hours
    self.daysOfMonth = daysOfMonth
    self.months = months
    self.daysOfWeek = daysOfWeek
    self.namesTimesOfDay = namesTimesOfDay
    self.needsOneDayField = needsOneDayField
  }

  /// Whether the fields allow at least one day.
  package var allowsSomeDay: Bool {
    firstDay(from: CalendarDay(year: 2001, month: 1, day: 1)) != nil
  }

  /// Returns the first allowed second that isn't before `time`.
  package func firstTime(from time: Int) -> Int? {
    let (number, second) = time.dividedRoundingDown(by: 86_400)
    let day = CalendarDay(number: number)
    guard let first = firstDay(from: day) else { return nil }
    if first == day, let second = firstSecond(from: second) { return number * 86_400 + second }
    let later = first == day ? firstDay(from: CalendarDay(number: number + 1)) : first
    guard let later, let second = firstSecond(from: 0) else { return nil }
    return later.number * 86_400 + second
  }

  /// Returns the last allowed second that isn't after `time`.
  package func lastTime(through time: Int) -> Int? {
    let (number, second) = time.dividedRoundingDown(by: 86_400)
    let day = CalendarDay(number: number)
    guard let last = lastDay(through: day) else { return nil }
    if last == day, let second = lastSecond(through: second) { return number * 86_400 + second }
    let earlier = last == day ? lastDay(through: CalendarDay(number: number - 1)) : last
    guard let earlier, let second = lastSecond(through: 86_399) else { return nil }
    return earlier.number * 86_400 + second
  }

  // MARK: Times of day

  private func firstSecond(from second: Int) -> Int? {
    let (minute, rest) = second.quotientAndRemainder(dividingBy: 60)
    if firstMinute(from: minute) == minute, let second = seconds.first(from: rest) {
      return minute * 60 + second
    }
    guard let minute = firstMinute(from: minute + 1), let second = seconds.first(from: 0) else { return nil }
    return minute * 60 + second
  }

  private func firstMinute(from minuteOfDay: Int) -> Int? {
    let (hour, minute) = minuteOfDay.quotientAndRemainder(dividingBy: 60)
    if hours.contains(hour), let minute = minutes.first(from: minute) { return hour * 60 + minute }
    guard let hour = hours.first(from: hour + 1), let minute = minutes.first(from: 0) else { return nil }
    return hour * 60 + minute
  }

  private func lastSecond(through second: Int) -> Int? {
    let (minute, rest) = second.quotientAndRemainder(dividingBy: 60)
    if lastMinute(through: minute) == minute, let second = seconds.last(through: rest) {
      return minute * 60 + second
    }
    guard let minute = lastMinute(through: minute - 1), let second = seconds.last(through: 59) else {
      return nil
    }
    return minute * 60 + second
  }

  private func lastMinute(through minuteOfDay: Int) -> Int? {
    let (hour, minute) = minuteOfDay.dividedRoundingDown(by: 60)
    if hours.contains(hour), let minute = minutes.last(through: minute) { return hour * 60 + minute }
    guard let hour = hours.last(through: hour - 1), let minute = minutes.last(through: 59) else { return nil }
    return hour * 60 + minute
  }

  // MARK: Days

  private func firstDay(from start: CalendarDay) -> CalendarDay? {
    var (year, month, day) = (start.year, start.month, start.day)
    let lastYear = min(start.year + Self.longestSearch, Self.lastYear)
    while year <= lastYear {
      if months.contains(month), let day = days(ofMonth: month, year: year).first(from: day) {
        return CalendarDay(year: year, month: month, day: day)
      }
      day = 1
      if let next = months.first(from: month + 1) {
        month = next
      } else {
        (year, month) = (year + 1, 1)
      }
    }
    return nil
  }

  private func lastDay(through end: CalendarDay) -> CalendarDay? {
    var (year, month, day) = (end.year, end.month, end.day)
    if year > Self.lastYear { (year, month, day) = (Self.lastYear, 12, 31) }
    let firstYear = max(year - Self.longestSearch, 0)
    while year >= firstYear {
      if months.contains(month), let day = days(ofMonth: month, year: year).last(through: day) {
        return CalendarDay(year: year, month: month, day: day)
      }
      day = 31
      if let next = months.last(through: month - 1) {
        month = next
      } else {
        (year, month) = (year - 1, 12)
      }
    }
    return nil
  }

  private func days(ofMonth month: Int, year: Int) -> ValueSet {
    let month = CronMonth(month, year: year)
    let (ofMonth, ofWeek) = (month.days(ofMonth: daysOfMonth), month.days(ofWeek: daysOfWeek))
    return ValueSet(bits: needsOneDayField ? ofMonth | ofWeek : ofMonth & ofWeek)
  }
}
