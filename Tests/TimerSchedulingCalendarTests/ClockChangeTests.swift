import Foundation
import TestSupport
import Testing
import TimerSchedulingCalendar

/// Days on which local clocks are changed.
@Suite(.guarantee("G42", "G43")) struct ClockChangeTests {
  // New York, 8 March 2026: 01:59 EST is followed by 03:00 EDT.
  @Test(arguments: [
    ("30 2 * * *", "03-07 12:00:00-0500", ["03-08 03:00:00-0400", "03-09 02:30:00-0400"]),
    ("0 2 * * *", "03-07 12:00:00-0500", ["03-08 03:00:00-0400", "03-09 02:00:00-0400"]),
    ("0 3 * * *", "03-07 12:00:00-0500", ["03-08 03:00:00-0400", "03-09 03:00:00-0400"]),
    ("59 1 * * *", "03-07 12:00:00-0500", ["03-08 01:59:00-0500", "03-09 01:59:00-0400"]),
    ("15,45 2,3 * * *", "03-08 01:00:00-0500", ["03-08 03:00:00-0400", "03-08 03:15:00-0400"]),
    ("0,30 2 * * *", "03-08 01:59:59-0500", ["03-08 03:00:00-0400", "03-09 02:00:00-0400"]),
    ("30 2 8 3 *", "01-01 00:00:00-0500", ["03-08 03:00:00-0400"]),
    // The second doesn't decide whether the rule names times of day. All that are skipped give one tick.
    (
      "*/20 30 2 * * *", "03-07 12:00:00-0500",
      ["03-08 03:00:00-0400", "03-09 02:30:00-0400", "03-09 02:30:20-0400"]
    ),
    (
      "*/30 0 2,3 * * *", "03-07 12:00:00-0500",
      ["03-08 03:00:00-0400", "03-08 03:00:30-0400", "03-09 02:00:00-0400", "03-09 02:00:30-0400"]
    ),
    ("59 59 1 * * *", "03-08 01:59:58-0500", ["03-08 01:59:59-0500", "03-09 01:59:59-0400"]),
    ("30 */30 * * * *", "03-08 01:30:00-0500", ["03-08 01:30:30-0500", "03-08 03:00:30-0400"]),
    // A rule that says how often follows what the clock shows.
    ("30 * * * *", "03-08 01:00:00-0500", ["03-08 01:30:00-0500", "03-08 03:30:00-0400"]),
    ("*/30 * * * *", "03-08 01:00:00-0500", ["03-08 01:30:00-0500", "03-08 03:00:00-0400"]),
    ("0 */2 * * *", "03-08 00:00:00-0500", ["03-08 04:00:00-0400", "03-08 06:00:00-0400"]),
    ("*/30 2 * * *", "03-07 02:30:00-0500", ["03-09 02:00:00-0400", "03-09 02:30:00-0400"]),
    ("0 * * * *", "03-08 00:30:00-0500", ["03-08 01:00:00-0500", "03-08 03:00:00-0400"]),
  ])
  func `New York goes forward`(expression: String, start: String, expected: [String]) throws {
    try expect(expression, "America/New_York", after: start, expected)
  }

  // New York, 1 November 2026: 01:59 EDT is followed by 01:00 EST.
  @Test(arguments: [
    ("30 1 * * *", "10-31 12:00:00-0400", ["11-01 01:30:00-0400", "11-02 01:30:00-0500"]),
    ("0 1 * * *", "10-31 12:00:00-0400", ["11-01 01:00:00-0400", "11-02 01:00:00-0500"]),
    ("0 2 * * *", "10-31 12:00:00-0400", ["11-01 02:00:00-0500", "11-02 02:00:00-0500"]),
    ("30 0,1 * * *", "11-01 01:45:00-0400", ["11-02 00:30:00-0500", "11-02 01:30:00-0500"]),
    ("59 1,2 * * *", "11-01 01:59:00-0400", ["11-01 02:59:00-0500", "11-02 01:59:00-0500"]),
    (
      "*/30 59 1 * * *", "10-31 12:00:00-0400",
      ["11-01 01:59:00-0400", "11-01 01:59:30-0400", "11-02 01:59:00-0500", "11-02 01:59:30-0500"]
    ),
    (
      "45 59 * * * *", "11-01 01:00:00-0400",
      ["11-01 01:59:45-0400", "11-01 01:59:45-0500", "11-01 02:59:45-0500"]
    ),
    // From a date in the repeated hour.
    ("45 1 * * *", "11-01 01:10:00-0500", ["11-02 01:45:00-0500"]),
    ("5 2 * * *", "11-01 01:10:00-0500", ["11-01 02:05:00-0500"]),
    ("0 2 * * *", "11-01 01:10:00-0500", ["11-01 02:00:00-0500"]),
    // A rule that says how often follows what the clock shows.
    (
      "30 * * * *", "11-01 01:00:00-0400",
      ["11-01 01:30:00-0400", "11-01 01:30:00-0500", "11-01 02:30:00-0500"]
    ),
    (
      "0 * * * *", "11-01 00:30:00-0400",
      ["11-01 01:00:00-0400", "11-01 01:00:00-0500", "11-01 02:00:00-0500"]
    ),
    (
      "*/30 1 * * *", "11-01 00:00:00-0400",
      [
        "11-01 01:00:00-0400", "11-01 01:30:00-0400", "11-01 01:00:00-0500", "11-01 01:30:00-0500",
        "11-02 01:00:00-0500",
      ]
    ),
    // The next time on the clock is a year away, but the clock goes back before.
    ("*/30 1 1 11 *", "11-01 01:30:00-0400", ["11-01 01:00:00-0500", "11-01 01:30:00-0500"]),
    ("0 */2 * * *", "11-01 00:00:00-0400", ["11-01 02:00:00-0500", "11-01 04:00:00-0500"]),
  ])
  func `New York goes back`(expression: String, start: String, expected: [String]) throws {
    try expect(expression, "America/New_York", after: start, expected)
  }

  @Test(arguments: [
    ("30 2 * * *", "03-08 03:00:01-0400", "03-08 03:00:00-0400"),
    ("30 2 * * *", "03-08 03:00:00-0400", "03-07 02:30:00-0500"),
    ("*/30 * * * *", "03-08 03:00:00-0400", "03-08 01:30:00-0500"),
    ("*/30 2 * * *", "03-08 12:00:00-0400", "03-07 02:30:00-0500"),
    // From a date in the repeated hour, and after it.
    ("30 1 * * *", "11-01 01:10:00-0500", "11-01 01:30:00-0400"),
    ("30 1 * * *", "11-01 01:45:00-0500", "11-01 01:30:00-0400"),
    ("30 1 * * *", "11-01 12:00:00-0500", "11-01 01:30:00-0400"),
    ("59 0 * * *", "11-01 01:10:00-0500", "11-01 00:59:00-0400"),
    ("*/30 1 * * *", "11-01 01:10:00-0500", "11-01 01:00:00-0500"),
    ("*/30 1 * * *", "11-01 01:00:00-0500", "11-01 01:30:00-0400"),
    // Nothing at the moment of the change.
    ("0 1 * * *", "11-01 12:00:00-0500", "11-01 01:00:00-0400"),
  ])
  func `The tick before a change in New York`(expression: String, end: String, expected: String) throws {
    let newYork = try LocalTime("America/New_York")
    let rule = try CronRule(expression, timeZone: newYork.zone)
    #expect(
      rule.previousTick(before: try newYork.date("2026-" + end)).map(newYork.text) == "2026-" + expected)
  }

  @Test func `Times that were skipped in each year are those of the years before`() throws {
    let newYork = try LocalTime("America/New_York")
    // The second Sunday of March, on which the clock has gone forward since 2007.
    let rule = try CronRule("*/5 2 8-14 3 */7", timeZone: newYork.zone)
    let last = rule.previousTick(before: try newYork.date("2026-11-01 12:00:00-0500"))
    #expect(last.map(newYork.text) == "2006-03-12 02:55:00-0500")
  }

  // Apia, 2011: 29 December is followed by 31 December.
  @Test(arguments: [
    ("0 9 * * *", ["2011-12-29 09:00:00-1000", "2011-12-31 00:00:00+1400", "2011-12-31 09:00:00+1400"]),
    ("0 9 30 12 *", ["2011-12-31 00:00:00+1400", "2012-12-30 09:00:00+1400"]),
    ("0 0 31 12 *", ["2011-12-31 00:00:00+1400", "2012-12-31 00:00:00+1400"]),
    ("0 */12 * * *", ["2011-12-29 12:00:00-1000", "2011-12-31 00:00:00+1400", "2011-12-31 12:00:00+1400"]),
    ("*/30 9 30 12 *", ["2012-12-30 09:00:00+1400"]),
  ])
  func `Apia leaves out a day`(expression: String, expected: [String]) throws {
    let apia = try LocalTime("Pacific/Apia")
    #expect(
      try apia.dates(of: expression, after: "2011-12-29 05:00:00-1000", count: expected.count) == expected)
  }

  @Test func `An offset with seconds, as long ago, makes dates that aren't whole minutes of Universal Time`()
    throws
  {
    let paris = try LocalTime("Europe/Paris")
    let rule = try CronRule("0 12 * * *", timeZone: paris.zone)
    let noon = try #require(rule.nextTick(after: try LocalTime("UTC").date("1900-06-01 00:00:00Z")))
    #expect(noon == (try LocalTime("UTC").date("1900-06-01 11:50:39Z")))
  }

  // Monrovia, 7 January 1972: midnight is 00:44:30 at once. The dates are of Universal Time.
  @Test(
    .guarantee("G41"),
    arguments: [
      ("0 0 * * *", ["06 00:44:30Z", "07 00:44:30Z", "08 00:00:00Z"]),
      ("15 0 * * *", ["06 00:59:30Z", "07 00:44:30Z", "08 00:15:00Z"]),
      ("45 0 * * *", ["06 01:29:30Z", "07 00:45:00Z", "08 00:45:00Z"]),
      ("30 23 * * *", ["06 00:14:30Z", "07 00:14:30Z", "07 23:30:00Z"]),
      // A rule that says how often follows what the clock shows.
      ("*/15 22-23,0 7 * *", ["07 00:45:00Z", "07 22:00:00Z", "07 22:15:00Z"]),
    ])
  func `Monrovia leaves out 44 minutes and 30 seconds`(expression: String, expected: [String]) throws {
    let universal = try LocalTime("UTC")
    let rule = try CronRule(expression, timeZone: LocalTime("Africa/Monrovia").zone)
    let dates = Array(rule.ticks(after: try universal.date("1972-01-06 00:00:00Z")).prefix(expected.count))
    #expect(dates.map { universal.text($0) } == expected.map { "1972-01-" + $0 })
    let end = try universal.date("1972-01-09 00:00:00Z")
    let before = rule.ticks(before: end).drop { $0 > dates[dates.count - 1] }.prefix(dates.count)
    #expect(before.reversed() == Array(dates))
  }

  // Monrovia's was the last, on 7 January 1972.
  @Test func `Since then no time zone has had an offset with seconds`() throws {
    let start = try LocalTime("UTC").date("1972-01-08 00:00:00Z")
    let days = stride(from: 0, to: 60 * 365, by: 28)
    for identifier in TimeZone.knownTimeZoneIdentifiers {
      let zone = try #require(TimeZone(identifier: identifier))
      let odd = days.first { zone.secondsFromGMT(for: start + Double($0) * 86_400) % 60 != 0 }
      #expect(odd == nil, "\(identifier)")
    }
  }

  @Test(arguments: [
    "America/New_York", "Europe/Berlin", "Australia/Lord_Howe", "America/Havana", "Africa/Casablanca",
  ])
  func `In all years each day has its tick, whatever the hour`(identifier: String) throws {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = try #require(TimeZone(identifier: identifier))
    let start = try #require(calendar.date(from: DateComponents(year: 2000, month: 6, day: 1)))
    let lastYear = size(2003, full: 2020)
    let end = try #require(calendar.date(from: DateComponents(year: lastYear, month: 6, day: 1)))
    for hour in [0, 1, 2, 3, 12, 23] {
      let rule = try CronRule("30 \(hour) * * *", timeZone: calendar.timeZone)
      let ticks = rule.ticks(after: start - 1).prefix { $0 < end }
      let days = ticks.map { Self.day(of: $0, in: calendar) }
      #expect(days == Array(Self.day(of: start, in: calendar)..<Self.day(of: end, in: calendar)))
    }
  }

  private static func day(of date: Date, in calendar: Calendar) -> Int {
    let parts = calendar.dateComponents([.year, .month, .day], from: date)
    return CalendarDay(year: parts.year ?? 0, month: parts.month ?? 0, day: parts.day ?? 0).number
  }

  @Test(arguments: ["America/New_York", "Europe/Berlin", "America/Havana", "Africa/Casablanca"])
  func `In all years each hour has its tick`(identifier: String) throws {
    let rule = try CronRule("45 * * * *", timeZone: try #require(TimeZone(identifier: identifier)))
    let start = try #require(rule.nextTick(after: Date(timeIntervalSince1970: 960_000_000)))
    var date = start
    for hour in 1...(size(2, full: 20) * 8766) {
      date = try #require(rule.nextTick(after: date))
      guard date == start + Double(hour * 3600) else {
        Issue.record("\(rule) ticks at \(date) as hour \(hour).")
        return
      }
    }
  }

  private func expect(_ expression: String, _ zone: String, after start: String, _ expected: [String]) throws
  {
    let dates = try LocalTime(zone).dates(of: expression, after: "2026-" + start, count: expected.count)
    #expect(dates == expected.map { "2026-" + $0 })
  }
}
