import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingCalendar
import TimerSchedulingTesting

/// Cron rules in a scheduler.
@Suite(.limited) struct CronTimerTests {
  // New York, the night in which 01:59 EST is followed by 03:00 EDT.
  @Test func `A scheduler fires at the dates of a rule`() async throws {
    let newYork = try LocalTime("America/New_York")
    let clock = VirtualClock(date: try newYork.date("2026-03-07 20:00:00-0500"))
    let scheduler = TimerScheduler(clock: clock)
    let rule = try CronRule("30 2 * * *", timeZone: newYork.zone)
    var ticks = scheduler.ticks(on: .rule(rule)).makeAsyncIterator()

    await clock.advance(by: .seconds(6 * 3600 - 1))
    await clock.advance(by: .seconds(1))
    #expect(await ticks.next().map(newYork.text) == "2026-03-08 03:00:00-0400")
    await clock.advance(by: .seconds(86_400))
    #expect(await ticks.next().map(newYork.text) == "2026-03-09 02:30:00-0400")
  }

  // Berlin, the day of 25 hours.
  @Test func `An action runs every hour of a day of twenty-five`() async throws {
    let berlin = try LocalTime("Europe/Berlin")
    let start = try berlin.date("2026-10-24 23:59:30+0200")
    let clock = VirtualClock(date: start)
    let scheduler = TimerScheduler(clock: clock)
    let rule = try CronRule("@hourly", timeZone: berlin.zone)
    let dates = AsyncStream<Date>.makeStream()
    scheduler.schedule(.rule(rule).limit(25)) { tick in
      dates.continuation.yield(tick.scheduledDate)
    }

    await clock.advance(by: .seconds(25 * 3600))
    dates.continuation.finish()
    let expected = (0..<25).map { start + 30 + Double($0 * 3600) }
    #expect(await dates.stream.reduce(into: []) { $0.append($1) } == expected)
  }

  @Test func `An action runs at the seconds of a rule`() async throws {
    let clock = VirtualClock(date: Date(timeIntervalSinceReferenceDate: 0))
    let scheduler = TimerScheduler(clock: clock)
    let dates = AsyncStream<Date>.makeStream()
    scheduler.schedule(.rule(try CronRule("5-50/20 * * * * *", timeZone: .gmt))) { tick in
      dates.continuation.yield(tick.scheduledDate)
    }
    await clock.advance(by: .seconds(80))
    dates.continuation.finish()
    let seconds = await dates.stream.reduce(into: []) { $0.append($1.timeIntervalSinceReferenceDate) }
    #expect(seconds == [5, 25, 45, 65])
  }

  // Berlin, the last days of March 2026. The clock goes forward on Sunday the 29th, and Tuesday ends the quarter.
  @Test func `A scheduler fires on weekdays but not holidays, and on the last day of a quarter`() async throws
  {
    let berlin = try LocalTime("Europe/Berlin")
    let clock = VirtualClock(date: try berlin.date("2026-03-26 12:00:00+0100"))
    let scheduler = TimerScheduler(clock: clock)
    let holidays = try CronRule("0 9 27 3 *", timeZone: berlin.zone)
    let quarterEnds = try CronRule("0 18 L 3-12/3 *", timeZone: berlin.zone)
    let days = try CronRule("0 9 * * MON-FRI", timeZone: berlin.zone).excluding(holidays).union(quarterEnds)
    let dates = AsyncStream<Date>.makeStream()
    scheduler.schedule(.rule(days)) { tick in dates.continuation.yield(tick.scheduledDate) }

    await clock.advance(by: .seconds(7 * 86_400))
    dates.continuation.finish()
    let found = await dates.stream.reduce(into: []) { $0.append(berlin.text($1)) }
    #expect(
      found == [
        "2026-03-30 09:00:00+0200", "2026-03-31 09:00:00+0200", "2026-03-31 18:00:00+0200",
        "2026-04-01 09:00:00+0200", "2026-04-02 09:00:00+0200",
      ])
  }

  @Test func `A timer knows the date of its next tick`() async throws {
    let clock = VirtualClock(date: Date(timeIntervalSinceReferenceDate: 789_000_017.25))
    let scheduler = TimerScheduler(clock: clock)
    let rule = try CronRule("*/15 * * * *", timeZone: .gmt)
    let timer = scheduler.timer(on: .rule(rule))
    let next = try #require(timer.nextDate)
    #expect(next == rule.nextTick(after: clock.date))
    #expect(next.timeIntervalSinceReferenceDate.truncatingRemainder(dividingBy: 900) == 0)
  }
}
