import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingCalendar
import TimerSchedulingTesting

/// Cron rules in a scheduler.
@Suite(.limited) struct CronTimerTests {
  // Berlin, the day of 25 hours.
  @Test func `An action runs every hour of a day of twenty-five`() async throws {
    let berlin = try LocalTime("Europe/Berlin")
    let start = try berlin.date("2026-10-24 23:59:30+0200")
    let clock = VirtualClock(date: start)
    let scheduler = TimerScheduler(clock: clock)
    let rule = try CronRule("@hourly", timeZone: berlin.zone)
    let dates = Journal<Date>()
    scheduler.schedule(.rule(rule).limit(25)) { dates.note($0.scheduledDate) }

    await clock.advance(by: .seconds(25 * 3600))
    #expect(dates.entries == (0..<25).map { start + 30 + Double($0 * 3600) })
  }

  // Berlin, the last days of March 2026. The clock goes forward on Sunday the 29th, and Tuesday ends the
  // quarter.
  @Test func `A scheduler fires on weekdays but not holidays, and on the last day of a quarter`() async throws
  {
    let berlin = try LocalTime("Europe/Berlin")
    let clock = VirtualClock(date: try berlin.date("2026-03-26 12:00:00+0100"))
    let scheduler = TimerScheduler(clock: clock)
    let holidays = try CronRule("0 9 27 3 *", timeZone: berlin.zone)
    let quarterEnds = try CronRule("0 18 L 3-12/3 *", timeZone: berlin.zone)
    let days = try CronRule("0 9 * * MON-FRI", timeZone: berlin.zone).excluding(holidays).union(quarterEnds)
    let dates = Journal<Date>()
    scheduler.schedule(.rule(days)) { dates.note($0.scheduledDate) }

    await clock.advance(by: .seconds(7 * 86_400))
    #expect(
      dates.entries.map(berlin.text) == [
        "2026-03-30 09:00:00+0200", "2026-03-31 09:00:00+0200", "2026-03-31 18:00:00+0200",
        "2026-04-01 09:00:00+0200", "2026-04-02 09:00:00+0200",
      ])
  }
}
