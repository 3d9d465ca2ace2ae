import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingCalendar
import TimerSchedulingTesting

/// Rules whose dates are close to each other, or that have missed very many.
@Suite(.limited, .guarantee("G6", "G21")) struct RuleSpacingTests: VirtualTimeSuite {
  let time = VirtualTime()

  // FAULTS F3
  @Test(arguments: [30.0, 90, 300], [MissedTickBehavior.skip, .burst, .delay])
  func `A jitter longer than the time to the next date loses no tick and keeps the order`(
    jitter: Double, behavior: MissedTickBehavior
  ) async throws {
    let ticks = Journal<TimerTick>()
    let rule = try CronRule("* * * * *", timeZone: .gmt)
    scheduler.schedule(.rule(rule).jitter(upTo: .seconds(jitter)).missedTicks(behavior)) { ticks.note($0) }
    // The tick of the hour's end may come up to a minute later.
    await advance(3600)
    #expect(ticks.entries.count == 59 || ticks.entries.count == 60)
    for (index, tick) in ticks.entries.enumerated() {
      let date = start + 60 * Double(index + 1)
      #expect(tick.missedCount == 0 && tick.scheduledDate >= date && tick.scheduledDate < date + 60)
      #expect(tick.date == tick.scheduledDate)
    }
  }

  @Test func `The jitter of uneven dates is bounded by the time to the date after`() async throws {
    let ticks = Journal<TimerTick>()
    let rule = try CronRule("0,5 9 * * *", timeZone: .gmt)
    scheduler.schedule(.rule(rule).jitter(upTo: .seconds(600))) { ticks.note($0) }
    await advance(20 * 86_400)
    #expect(ticks.entries.count == 40)
    #expect(ticks.entries.allSatisfy { $0.missedCount == 0 })
  }

  @Test func `A tolerance counts as half the time to the date after`() async {
    let ticks = Journal<TimerTick>()
    scheduler.schedule(.rule(EverySeconds(10)).tolerance(.seconds(60))) { ticks.note($0) }
    await advance(1000)
    #expect(ticks.entries.map(\.scheduledDate) == (1..<100).map { start + 10 * Double($0) })
  }

  // FAULTS F5
  @Test(arguments: [3601, -12_345, 7200] as [Int])
  func `A rule is the same after it was encoded, to the second`(offset: Int)
    throws
  {
    let zone = try #require(TimeZone(secondsFromGMT: offset))
    let rule = try CronRule("0 9 * * *", timeZone: zone)
    let decoded = try JSONDecoder().decode(CronRule.self, from: JSONEncoder().encode(rule))
    #expect(decoded == rule)
    #expect(decoded.nextTick(after: start) == rule.nextTick(after: start))
  }

  // FAULTS F8
  @Test(arguments: [7_200.0, 18_000, 864_000] as [Double])
  func `After any stop the tick is that of the newest date, and its count a lower bound`(stop: Double)
    async throws
  {
    let ticks = Journal<TimerTick>()
    let rule = try CronRule("* * * * * *", timeZone: .gmt)
    scheduler.schedule(.rule(rule)) { ticks.note($0) }
    await advance(1)
    await clock.stall(for: .seconds(stop))
    let late = try #require(ticks.entries.last)
    let missed = Int(stop) - 1
    #expect(late.scheduledDate == start + 1 + stop)
    #expect(missed < 10_000 ? late.missedCount == missed : (9_000...missed).contains(late.missedCount))
    await advance(1)
    #expect(ticks.entries.last?.scheduledDate == start + 2 + stop)
    #expect(ticks.entries.last?.missedCount == 0)
  }
}
