import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingCalendar

/// Dates on days on which no clock is changed.
@Suite(.guarantee("G40")) struct CronRuleTests {
  @Test(arguments: [
    ("* * * * *", "2026-11-21 21:50:00", ["2026-11-21 21:51:00", "2026-11-21 21:52:00"]),
    ("*/15 * * * *", "2026-12-31 23:44:59", ["2026-12-31 23:45:00", "2027-01-01 00:00:00"]),
    ("10-40/15 9-17 * * *", "2026-11-21 17:25:00", ["2026-11-21 17:40:00", "2026-11-22 09:10:00"]),
    ("30 9 * * MON-FRI", "2026-11-20 09:30:00", ["2026-11-23 09:30:00", "2026-11-24 09:30:00"]),
    ("0 0 1 * *", "2026-11-21 00:00:00", ["2026-12-01 00:00:00", "2027-01-01 00:00:00"]),
    ("@yearly", "2026-01-01 00:00:00", ["2027-01-01 00:00:00", "2028-01-01 00:00:00"]),
    ("@weekly", "2026-11-21 00:00:00", ["2026-11-22 00:00:00", "2026-11-29 00:00:00"]),
    ("@hourly", "2026-11-21 21:59:59", ["2026-11-21 22:00:00", "2026-11-21 23:00:00"]),
    ("59 23 31 12 *", "2026-12-31 23:58:00", ["2026-12-31 23:59:00", "2027-12-31 23:59:00"]),
    ("* * * * * *", "2026-12-31 23:59:58", ["2026-12-31 23:59:59", "2027-01-01 00:00:00"]),
    ("*/25 59 23 * * *", "2026-11-21 23:59:25", ["2026-11-21 23:59:50", "2026-11-22 23:59:00"]),
    ("30 0 9-10 * * *", "2026-11-21 09:00:30", ["2026-11-21 10:00:30", "2026-11-22 09:00:30"]),
    ("59 59 23 31 12 *", "2026-11-21 00:00:00", ["2026-12-31 23:59:59", "2027-12-31 23:59:59"]),
  ])
  func `The next dates`(expression: String, start: String, expected: [String]) throws {
    try expect(expression, after: start, expected)
  }

  @Test(arguments: [
    // Friday or the 13th.
    (
      "0 0 13 * FRI", "2026-11-06 00:00:00",
      [
        "2026-11-13 00:00:00", "2026-11-20 00:00:00", "2026-11-27 00:00:00", "2026-12-04 00:00:00",
        "2026-12-11 00:00:00", "2026-12-13 00:00:00",
      ]
    ),
    // A day of the month that begins with a star doesn't count as a given day, as in cron: Mondays on odd days.
    ("0 0 */2 * MON", "2026-11-01 00:00:00", ["2026-11-09 00:00:00", "2026-11-23 00:00:00"]),
    ("0 0 1-7 * */7", "2026-11-01 00:00:00", ["2026-12-06 00:00:00", "2027-01-03 00:00:00"]),
    // The last day of the month or a Friday.
    (
      "0 0 L * FRI", "2026-11-26 00:00:00",
      ["2026-11-27 00:00:00", "2026-11-30 00:00:00", "2026-12-04 00:00:00"]
    ),
    // A Friday that is the last of a month and an odd day.
    (
      "0 0 */2 * 5L", "2026-11-01 00:00:00",
      ["2026-11-27 00:00:00", "2026-12-25 00:00:00", "2027-01-29 00:00:00"]
    ),
    (
      "0 0 L,15 * *", "2026-02-01 00:00:00",
      ["2026-02-15 00:00:00", "2026-02-28 00:00:00", "2026-03-15 00:00:00"]
    ),
    (
      "0 0 L-3,L-1 2 *", "2028-01-01 00:00:00",
      ["2028-02-26 00:00:00", "2028-02-28 00:00:00", "2029-02-25 00:00:00"]
    ),
    (
      "0 0 1W,LW * *", "2026-07-31 00:00:00",
      ["2026-08-03 00:00:00", "2026-08-31 00:00:00", "2026-09-01 00:00:00"]
    ),
    (
      "0 0 31W * *", "2026-05-01 00:00:00",
      ["2026-05-29 00:00:00", "2026-07-31 00:00:00", "2026-08-31 00:00:00"]
    ),
    (
      "0 0 L-30 * *", "2026-01-01 00:00:00",
      ["2026-03-01 00:00:00", "2026-05-01 00:00:00", "2026-07-01 00:00:00"]
    ),
    (
      "0 0 * * WED#5", "2026-01-01 00:00:00",
      ["2026-04-29 00:00:00", "2026-07-29 00:00:00", "2026-09-30 00:00:00"]
    ),
    ("0 0 * 2 SUN#5", "2026-01-01 00:00:00", ["2032-02-29 00:00:00", "2060-02-29 00:00:00"]),
    // Either, and only in its months.
    ("0 0 1 2 MON", "2027-02-15 00:00:00", ["2027-02-22 00:00:00", "2028-02-01 00:00:00"]),
  ])
  func `Days of the month and of the week`(expression: String, start: String, expected: [String]) throws {
    try expect(expression, after: start, expected)
  }

  @Test(arguments: [
    (
      "0 0 31 * *", "2026-01-31 00:00:00",
      [
        "2026-03-31 00:00:00", "2026-05-31 00:00:00", "2026-07-31 00:00:00", "2026-08-31 00:00:00",
        "2026-10-31 00:00:00", "2026-12-31 00:00:00", "2027-01-31 00:00:00",
      ]
    ),
    ("0 0 29-31 2 *", "2026-01-01 00:00:00", ["2028-02-29 00:00:00", "2032-02-29 00:00:00"]),
    ("0 0 29 2 *", "2096-02-29 00:00:00", ["2104-02-29 00:00:00", "2108-02-29 00:00:00"]),
    ("0 0 29 2 *", "1996-02-29 00:00:00", ["2000-02-29 00:00:00", "2004-02-29 00:00:00"]),
    // A Sunday: after 28 years, and after 40 with 2100 between.
    ("0 0 29 2 */7", "2060-02-29 00:00:00", ["2088-02-29 00:00:00", "2128-02-29 00:00:00"]),
    ("59 23 28 2 *", "2027-02-28 23:58:00", ["2027-02-28 23:59:00", "2028-02-28 23:59:00"]),
  ])
  func `Months end, and years are leap years`(expression: String, start: String, expected: [String]) throws {
    try expect(expression, after: start, expected)
  }

  private func expect(_ expression: String, after start: String, _ expected: [String]) throws {
    let dates = try LocalTime("UTC").dates(of: expression, after: start + "Z", count: expected.count)
    #expect(dates == expected.map { $0 + "Z" })
  }

  // MARK: Limits

  @Test func `A tick is later than a date just before, at and just after it`() throws {
    let rule = try CronRule("30 9 * * *", timeZone: .gmt)
    let tick = try LocalTime("UTC").date("2026-11-21 09:30:00Z")
    let before = Date(timeIntervalSinceReferenceDate: tick.timeIntervalSinceReferenceDate.nextDown)
    let after = Date(timeIntervalSinceReferenceDate: tick.timeIntervalSinceReferenceDate.nextUp)
    #expect(rule.nextTick(after: tick - 0.5) == tick)
    #expect(rule.nextTick(after: before) == tick)
    #expect(rule.nextTick(after: tick) == tick + 86_400)
    #expect(rule.nextTick(after: after) == tick + 86_400)
    #expect(rule.nextTick(after: tick + 59.5) == tick + 86_400)
  }

  @Test(.guarantee("G44")) func `The years go from 1 to 9999`() throws {
    let utc = try LocalTime("UTC")
    #expect(try utc.dates(of: "@yearly", after: "9998-06-01 00:00:00Z", count: 2) == ["9999-01-01 00:00:00Z"])
    #expect(
      try utc.dates(of: "0 0 29 2 *", after: "9995-06-01 00:00:00Z", count: 2) == ["9996-02-29 00:00:00Z"])
    let rule = try CronRule("@yearly", timeZone: .gmt)
    for seconds in [Double.infinity, .nan, .greatestFiniteMagnitude, 1e12] {
      #expect(rule.nextTick(after: Date(timeIntervalSinceReferenceDate: seconds)) == nil)
    }
    let second = Date(
      timeIntervalSinceReferenceDate: Double(CalendarDay(year: 2, month: 1, day: 1).number * 86_400))
    for seconds in [-Double.infinity, -.greatestFiniteMagnitude, -1e12] {
      #expect(rule.nextTick(after: Date(timeIntervalSinceReferenceDate: seconds)) == second)
    }
    #expect(rule.nextTick(after: .distantPast).map { $0 > .distantPast } == true)
    #expect(rule.nextTick(after: .distantFuture).map { $0 > .distantFuture } == true)
  }

  @Test func `Zones on both sides of the date line at the end of time`() throws {
    for offset in [-14 * 3600, 14 * 3600] {
      let zone = try #require(TimeZone(secondsFromGMT: offset))
      let rule = try CronRule("* * * * *", timeZone: zone)
      for year in [1, CronFields.lastYear + 1] {
        let edge = Double(CalendarDay(year: year, month: 1, day: 1).number * 86_400)
        for hours in -15...15 {
          let date = Date(timeIntervalSinceReferenceDate: edge + Double(hours * 3600))
          #expect(rule.nextTick(after: date).map { $0 > date } ?? (year > 1))
        }
      }
    }
  }

  @Test func `The tick before is earlier than a date just before, at and just after it`() throws {
    let rule = try CronRule("30 9 * * *", timeZone: .gmt)
    let tick = try LocalTime("UTC").date("2026-11-21 09:30:00Z")
    let before = Date(timeIntervalSinceReferenceDate: tick.timeIntervalSinceReferenceDate.nextDown)
    let after = Date(timeIntervalSinceReferenceDate: tick.timeIntervalSinceReferenceDate.nextUp)
    #expect(rule.previousTick(before: tick + 0.5) == tick)
    #expect(rule.previousTick(before: after) == tick)
    #expect(rule.previousTick(before: tick) == tick - 86_400)
    #expect(rule.previousTick(before: before) == tick - 86_400)
  }

  @Test func `The ticks before go back to the year 1`() throws {
    let utc = try LocalTime("UTC")
    let rule = try CronRule("@yearly", timeZone: .gmt)
    let last = try utc.date("9999-01-01 00:00:00Z")
    for seconds in [Double.infinity, .greatestFiniteMagnitude, 1e12] {
      #expect(rule.previousTick(before: Date(timeIntervalSinceReferenceDate: seconds)) == last)
    }
    let second = Date(
      timeIntervalSinceReferenceDate: Double(CalendarDay(year: 2, month: 1, day: 1).number * 86_400))
    #expect(rule.previousTick(before: second + 1) == second)
    #expect(rule.previousTick(before: second) == nil)
    for seconds in [-Double.infinity, .nan, -.greatestFiniteMagnitude, -1e12] {
      #expect(rule.previousTick(before: Date(timeIntervalSinceReferenceDate: seconds)) == nil)
    }
    let leapDays = try CronRule("0 0 29 2 */7", timeZone: .gmt)
    let ahead = leapDays.ticks(after: .distantPast).prefix { $0 < .distantFuture }
    #expect(leapDays.ticks(before: .distantFuture).reversed() == Array(ahead))
  }

  @Test(.guarantee("G41")) func `All ticks at both ends of time are those before, too`() throws {
    for offset in [-14 * 3600, 0, 14 * 3600] {
      let rule = try CronRule("*/30 0 * * * *", timeZone: try #require(TimeZone(secondsFromGMT: offset)))
      for year in [1, CronFields.lastYear + 1] {
        let edge = Double(CalendarDay(year: year, month: 1, day: 1).number * 86_400)
        let (start, end) = (edge - 20 * 3600, edge + 20 * 3600)
        let ticks = rule.ticks(after: Date(timeIntervalSinceReferenceDate: start)).prefix {
          $0.timeIntervalSinceReferenceDate < end
        }
        let before = rule.ticks(before: Date(timeIntervalSinceReferenceDate: end)).prefix {
          $0.timeIntervalSinceReferenceDate > start
        }
        #expect(before.reversed() == Array(ticks))
        #expect(ticks.isEmpty == false)
      }
    }
  }

  // MARK: Values

  @Test func `A rule tells what it was made of`() throws {
    let zone = try #require(TimeZone(identifier: "Europe/Berlin"))
    let rule = try CronRule("@daily", timeZone: zone)
    #expect(rule.expression == "@daily")
    #expect(rule.timeZone == zone)
    #expect("\(rule)" == "@daily (Europe/Berlin)")
    #expect(try rule != CronRule("@daily", timeZone: .gmt))
    #expect(try CronRule("@daily").timeZone == .current)
  }
}
