import TimerScheduling

/// A day of the Gregorian calendar.
///
/// Days are numbered from 1 January 2001, the first day of one of the calendar's cycles of 400 years.
package struct CalendarDay: Hashable, Sendable {
  package var year: Int
  /// 1 to 12.
  package var month: Int
  /// 1 to 31.
  package var day: Int

  private static let daysInCycle = 146_097

  package init(year: Int, month: Int, day: Int) {
    self.year = year
    self.month = month
    self.day = day
  }

  package init(number: Int) {
    let (cycle, dayOfCycle) = number.dividedRoundingDown(by: Self.daysInCycle)
    var rest = dayOfCycle
    // No year is shorter than 365 days, and the leap days of 400 years don't add up to a year, so this is at
    // most one too high.
    var yearOfCycle = min(rest / 365, 399)
    if Self.daysBefore(yearOfCycle: yearOfCycle) > rest { yearOfCycle -= 1 }
    rest -= Self.daysBefore(yearOfCycle: yearOfCycle)
    year = 2001 + 400 * cycle + yearOfCycle
    month = 1
    while rest >= Self.length(ofMonth: month, year: year) {
      rest -= Self.length(ofMonth: month, year: year)
      month += 1
    }
    day = rest + 1
  }

  package var number: Int {
    let (cycle, yearOfCycle) = (year - 2001).dividedRoundingDown(by: 400)
    let months = (1..<month).reduce(0) { $0 + Self.length(ofMonth: $1, year: year) }
    return cycle * Self.daysInCycle + Self.daysBefore(yearOfCycle: yearOfCycle) + months + day
      - 1
  }

  /// 0 for Sunday to 6 for Saturday.
  package var weekday: Int {
    // 1 January 2001 was a Monday.
    (number + 1).dividedRoundingDown(by: 7).remainder
  }

  package static func length(ofMonth month: Int, year: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  private static func daysBefore(yearOfCycle: Int) -> Int {
    365 * yearOfCycle + yearOfCycle / 4 - yearOfCycle / 100
  }
}
