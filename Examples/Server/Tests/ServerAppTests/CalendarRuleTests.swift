import Foundation
import ServerApp
import Testing
import TimerScheduling
import TimerSchedulingTesting

@Suite struct CalendarRuleTests {
  private func dates(
    _ rule: CalendarRule, from start: String, count: Int
  ) async throws -> [String] {
    let style = Date.ISO8601FormatStyle()
    let clock = VirtualClock(date: try style.parse(start))
    let scheduler = TimerScheduler(clock: clock)
    let ticks = clock.addTask {
      var dates: [String] = []
      for await date in scheduler.ticks(on: .rule(rule).limit(count)) { dates.append(date.formatted(style)) }
      return dates
    }
    await clock.advance(by: .seconds(86_400 * count))
    return await ticks.value
  }

  private func calendar(in timeZone: String) throws -> Calendar {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = try #require(TimeZone(identifier: timeZone))
    return calendar
  }

  @Test func `Midnight is a calendar's, also when clocks are set forward`() async throws {
    let midnight = CalendarRule(
      DateComponents(hour: 0, minute: 0, second: 0), in: try calendar(in: "Europe/Berlin"))
    #expect(
      try await dates(midnight, from: "2026-03-28T12:00:00Z", count: 2) == [
        "2026-03-28T23:00:00Z", "2026-03-29T22:00:00Z",
      ])
  }

  @Test func `The top of the hour is that of the time zone`() async throws {
    let hourly = CalendarRule(DateComponents(minute: 0, second: 0), in: try calendar(in: "Asia/Kolkata"))
    #expect(
      try await dates(hourly, from: "2026-01-01T00:00:00Z", count: 2) == [
        "2026-01-01T00:30:00Z", "2026-01-01T01:30:00Z",
      ])
  }
}
