import TimerScheduling

/// The local times a cron expression allows, independently of the time zone.
///
/// A local time is the number of seconds from the first moment of 2001, as a local clock shows it.
package struct CronFields: Hashable, Sendable {
  package let minutes: ValueSet
  package let hours: ValueSet
  package let daysOfMonth: ValueSet
  package let months: ValueSet
  package let daysOfWeek: ValueSet
  /// Whether the expression names times of day rather than a frequency: neither the minute nor the hour begins with a
  /// star.
  package let namesTimesOfDay: Bool
  /// Whether a day needs to be allowed by only one of its two fields.
  package let needsOneDayField: Bool

  /// The last year of a search.
  package static let lastYear = 9999

  package init(
    minutes: ValueSet, hours: ValueSet, daysOfMonth: ValueSet, months: ValueSet, daysOfWeek: ValueSet,
    namesTimesOfDay: Bool, needsOneDayField: Bool
  ) {
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

  /// Returns the first allowed whole minute that isn't before `time`.
  package func firstTime(from time: Int) -> Int? {
    let minute = (time + 59).dividedRoundingDown(by: 60).quotient
    let (number, firstCandidate) = minute.dividedRoundingDown(by: 1440)
    let day = CalendarDay(number: number)
    guard let first = firstDay(from: day) else { return nil }
    if first == day, let minuteOfDay = firstMinute(from: firstCandidate) {
      return (number * 1440 + minuteOfDay) * 60
    }
    let later = first == day ? firstDay(from: CalendarDay(number: number + 1)) : first
    guard let later, let minuteOfDay = firstMinute(from: 0) else { return nil }
    return (later.number * 1440 + minuteOfDay) * 60
  }

  // MARK: Searching

  private func firstMinute(from minuteOfDay: Int) -> Int? {
    let (hour, minute) = minuteOfDay.quotientAndRemainder(dividingBy: 60)
    if hours.contains(hour), let minute = minutes.first(from: minute) { return hour * 60 + minute }
    guard let hour = hours.first(from: hour + 1), let minute = minutes.first(from: 0) else { return nil }
    return hour * 60 + minute
  }

  private func firstDay(from start: CalendarDay) -> CalendarDay? {
    var (year, month, day) = (start.year, start.month, start.day)
    // 29 February falls on a given day of the week once in 28 years, or in 40 where a century has no leap year.
    let lastYear = min(start.year + 40, Self.lastYear)
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

  private func days(ofMonth month: Int, year: Int) -> ValueSet {
    let weekday = CalendarDay(year: year, month: month, day: 1).weekday
    // Repeats the week six times and shifts it to the weekday of the month's first day, so that bit 1 is that day.
    let weeks = stride(from: 0, to: 42, by: 7).reduce(0 as UInt64) { $0 | daysOfWeek.bits << $1 }
    let ofWeek = (weeks >> weekday) << 1
    let allowed = needsOneDayField ? daysOfMonth.bits | ofWeek : daysOfMonth.bits & ofWeek
    return ValueSet(bits: allowed & ((2 << CalendarDay.length(ofMonth: month, year: year)) - 1))
  }
}
