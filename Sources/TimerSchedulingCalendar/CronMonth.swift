/// A month, in which the entries of the day fields mean days.
///
/// An entry is a number of at most seven bits, so that a field is a set of such numbers:
///
///     day of month   n         the nth day, 1 to 31
///                    32 + n    n days before the last day, 0 to 30
///                    64        the last weekday, Monday to Friday
///                    64 + n    the weekday nearest to the nth day
///     day of week    n         each day n of the week, 0 for Sunday to 6
///                    8 k + n   the kth day n of the month, 1 to 5
///                    48 + n    the last day n of the month
package struct CronMonth {
  /// The number of days.
  package let length: Int
  /// The day of the week of the first day, 0 for Sunday to 6.
  package let firstWeekday: Int

  package static func entry(daysBeforeLast count: Int) -> Int { 32 + count }
  package static let lastWeekday = 64
  package static func entry(weekdayNearest day: Int) -> Int { 64 + day }
  package static func entry(of weekday: Int, number: Int) -> Int { 8 * number + weekday % 7 }
  package static func entry(last weekday: Int) -> Int { 48 + weekday % 7 }

  package init(_ month: Int, year: Int) {
    length = CalendarDay.length(ofMonth: month, year: year)
    firstWeekday = CalendarDay(year: year, month: month, day: 1).weekday
  }

  /// Returns the days that entries of the field for the day of the month mean.
  package func days(ofMonth entries: ValueSet) -> UInt128 {
    var days = entries.bits & 0xFFFF_FFFE
    var next = entries.first(from: 32)
    while let entry = next {
      days |= day(entry)
      next = entries.first(from: entry + 1)
    }
    return days & allDays
  }

  /// Returns the days that entries of the field for the day of the week mean.
  package func days(ofWeek entries: ValueSet) -> UInt128 {
    // Repeats the week six times and shifts it to the weekday of the month's first day, so that bit 1 is that
    // day.
    let weeks = stride(from: 0, to: 42, by: 7).reduce(0 as UInt128) { $0 | (entries.bits & 0x7F) << $1 }
    var days = (weeks >> UInt128(firstWeekday)) << 1
    var next = entries.first(from: 8)
    while let entry = next {
      let first = 1 + (entry % 8 + 7 - firstWeekday) % 7
      let number = entry < 48 ? entry / 8 : 1 + (length - first) / 7
      days |= 1 << UInt128(first + 7 * (number - 1))
      next = entries.first(from: entry + 1)
    }
    return days & allDays
  }

  private var allDays: UInt128 { (2 << UInt128(length)) - 2 }

  /// Returns the set of the day that an entry of 32 or more means, or none if the month doesn't have it.
  private func day(_ entry: Int) -> UInt128 {
    if entry < 64 { return entry - 32 < length ? 1 << UInt128(length - (entry - 32)) : 0 }
    let day = entry == Self.lastWeekday ? length : entry - 64
    guard day <= length else { return 0 }
    return 1 << UInt128(nearestWeekday(to: day))
  }

  /// The nearest day from Monday to Friday that is in the month: of a Saturday it is the day before or, on
  /// the first of a month, two days after; of a Sunday it is the day after or, on the last of a month, two
  /// days before.
  private func nearestWeekday(to day: Int) -> Int {
    switch (firstWeekday + day - 1) % 7 {
    case 0: day < length ? day + 1 : day - 2
    case 6: day > 1 ? day - 1 : day + 2
    default: day
    }
  }
}
