import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingCalendar

/// Dates on days on which no clock is changed.
@Suite(.guarantee("G41")) struct CronRuleTests {
  @Test func `A tick isn't that of its own date, nor the tick before`() throws {
    let rule = try CronRule("30 9 * * *", timeZone: .gmt)
    let tick = try LocalTime("UTC").date("2026-11-21 09:30:00Z")
    let before = Date(timeIntervalSinceReferenceDate: tick.timeIntervalSinceReferenceDate.nextDown)
    let after = Date(timeIntervalSinceReferenceDate: tick.timeIntervalSinceReferenceDate.nextUp)
    #expect(rule.nextTick(after: tick - 0.5) == tick)
    #expect(rule.nextTick(after: before) == tick)
    #expect(rule.nextTick(after: tick) == tick + 86_400)
    #expect(rule.nextTick(after: after) == tick + 86_400)
    #expect(rule.nextTick(after: tick + 59.5) == tick + 86_400)
    #expect(rule.previousTick(before: tick + 0.5) == tick)
    #expect(rule.previousTick(before: after) == tick)
    #expect(rule.previousTick(before: tick) == tick - 86_400)
    #expect(rule.previousTick(before: before) == tick - 86_400)
  }

  @Test(.guarantee("G45")) func `The years go from 1 to 9999`() throws {
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

  @Test(.guarantee("G42")) func `All ticks at both ends of time are those before, too`() throws {
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
