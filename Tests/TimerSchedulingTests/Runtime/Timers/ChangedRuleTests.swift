import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingCalendar
import TimerSchedulingTesting

/// A rule whose dates depend on something besides the clock, such as the system's time zone.
@Suite(.limited) struct ChangedRuleTests: VirtualTimeSuite {
  let time = VirtualTime()

  // FAULTS F4
  @Test func `A waiting timer keeps its date when its rule's dates change, until it gets its schedule anew`()
    async
  {
    // Stands for the offset of the system's time zone.
    let zone = Box<Double>()
    let rule = Answering { date in
      let offset = zone.value ?? 0
      return EverySeconds(100).nextTick(after: date - offset).map { $0 + offset }
    }
    let dates = Journal<Date>()
    let timer = scheduler.schedule(.rule(rule)) { dates.note($0.scheduledDate) }
    await advance(10)
    zone.value = 30
    await advance(10)
    // By the new offset it would be 30.
    #expect(timer.nextDate == start + 100)
    await advance(100)
    #expect(dates.entries == [start + 100])
    #expect(timer.nextDate == start + 130)
    zone.value = 25
    timer.reschedule(.rule(rule))
    await advance(0)
    #expect(timer.nextDate == start + 125)
    await advance(100)
    #expect(dates.entries == [start + 100, start + 125])
    timer.cancel()
  }

  // FAULTS F4
  @Test func `A cron rule that follows the system's zone is encoded with the present one`() throws {
    let rule = try CronRule("0 9 * * *", timeZone: .autoupdatingCurrent)
    let data = try JSONEncoder().encode([rule])
    let decoded = try JSONDecoder().decode([CronRule].self, from: data)
    #expect(decoded.map { $0.timeZone.identifier } == [TimeZone.current.identifier])
    #expect(decoded != [rule])
    #expect(decoded.first?.nextTick(after: start) == rule.nextTick(after: start))
  }
}
