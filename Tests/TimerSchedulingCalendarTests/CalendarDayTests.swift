import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingCalendar

@Suite struct CalendarDayTests {
  @Test func `The days of six hundred years are those of Foundation's calendar`() throws {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    let first = CalendarDay(year: 1583, month: 1, day: 1).number
    let wrong = (first..<(first + 600 * 366)).first { number in
      let day = CalendarDay(number: number)
      let shown = calendar.dateComponents(
        [.year, .month, .day, .weekday], from: Date(timeIntervalSinceReferenceDate: Double(number * 86_400)))
      let isSame = shown.year == day.year && shown.month == day.month && shown.day == day.day
      return !isSame || shown.weekday != day.weekday + 1 || day.number != number
    }
    #expect(wrong == nil)
  }

  @Test func `Each day of the years before and after the calendar's cycles follows the one before`() {
    for year in [-1, 0, 1, 399, 2399, 9999] {
      var expected = CalendarDay(year: year, month: 1, day: 1)
      let first = expected.number
      for number in first..<(first + 1100) {
        #expect(CalendarDay(number: number) == expected && expected.number == number)
        expected.day += 1
        if expected.day > CalendarDay.length(ofMonth: expected.month, year: expected.year) {
          (expected.month, expected.day) = (expected.month + 1, 1)
        }
        if expected.month > 12 { (expected.year, expected.month) = (expected.year + 1, 1) }
      }
    }
  }

  @Test(.guarantee("G45"), arguments: 0..<7)
  func `29 February falls on each day of the week within forty years`(weekday: Int) throws {
    for year in 1600..<2000 {
      let fields = CronFields(
        seconds: ValueSet(bits: 1), minutes: ValueSet(bits: 1), hours: ValueSet(bits: 1),
        daysOfMonth: ValueSet(bits: 1 << 29), months: ValueSet(bits: 1 << 2),
        daysOfWeek: ValueSet(bits: 1 << UInt128(weekday)),
        namesTimesOfDay: true, needsOneDayField: false)
      let start = CalendarDay(year: year, month: 1, day: 1).number * 86_400
      for time in [fields.firstTime(from: start), fields.lastTime(through: start)] {
        let day = CalendarDay(number: try #require(time).dividedRoundingDown(by: 86_400).quotient)
        #expect(day.month == 2 && day.day == 29 && day.weekday == weekday)
      }
    }
  }

  @Test func `A set of small numbers finds the first that isn't smaller`() {
    let set = ValueSet(bits: 1 << 63 | 1 << 5 | 1)
    #expect([0, 1, 5, 6, 63, 64, 100].map { set.first(from: $0) } == [0, 5, 5, 63, 63, nil, nil])
    #expect(ValueSet().first(from: 0) == nil)
    #expect(set.contains(5) && !set.contains(4) && !set.contains(64))
    #expect(ValueSet(bits: 1 << 127).first(from: 64) == 127)
  }

  @Test func `A set of small numbers finds the last that isn't greater`() {
    let set = ValueSet(bits: 1 << 127 | 1 << 63 | 1 << 5 | 2)
    #expect(
      [-2, -1, 0, 1, 4, 5, 62, 63, 126, 127].map { set.last(through: $0) }
        == [nil, nil, nil, 1, 1, 5, 5, 63, 63, 127])
    #expect(ValueSet().last(through: 127) == nil)
  }
}
