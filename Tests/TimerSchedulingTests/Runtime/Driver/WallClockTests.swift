import Dispatch
import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingTesting

@Suite(.limited, .guarantee("G18")) struct WallClockTests: VirtualTimeSuite {
  // Half past the reference date's first minute.
  let time = VirtualTime.manual(from: 30)

  private func date(_ seconds: Double) -> Date { Date(timeIntervalSinceReferenceDate: seconds) }

  // MARK: Aligned

  @Test func `Every sixty seconds, aligned, means on the minute`() async {
    let consumer = Consumer(scheduler.ticks(every: 60, starting: .aligned))
    await clock.advance(by: .seconds(30))
    #expect(await consumer.next() == date(60))
    await clock.advance(by: .seconds(60))
    #expect(await consumer.next() == date(120))
  }

  @Test func `Multiples are counted from 1970`() async {
    let consumer = Consumer(scheduler.ticks(every: 7, starting: .aligned))
    await clock.advance(by: .seconds(7))
    let seconds = await consumer.next()?.timeIntervalSince1970 ?? .nan
    #expect(seconds.truncatingRemainder(dividingBy: 7) == 0)
  }

  @Test func `An aligned timer made on the minute waits for the next`() async {
    await clock.advance(by: .seconds(30))
    let consumer = Consumer(scheduler.ticks(every: 60, starting: .aligned))
    await clock.advance(by: .seconds(60))
    #expect(await consumer.next() == date(120))
  }

  @Test func `Every hour, aligned with an offset of ten minutes, means at ten past`() async {
    let consumer = Consumer(scheduler.ticks(every: 3600, starting: .aligned(offset: .seconds(600))))
    await clock.advance(by: .seconds(570))
    #expect(await consumer.next() == date(600))
    await clock.advance(by: .seconds(3600))
    #expect(await consumer.next() == date(4200))
  }

  // MARK: A clock that is set

  @Test func `An offset stays when the clock is set`() async {
    // Waits until the consumer has asked for its next tick, by the clock before it is set.
    let time = VirtualTime(from: 30)
    let (clock, scheduler) = (time.clock, time.scheduler)
    let consumer = Consumer(scheduler.ticks(every: 60, starting: .aligned(offset: .seconds(-15))))
    await clock.advance(by: .seconds(15))
    #expect(await consumer.next() == date(45))
    await clock.setWallClock(by: .seconds(605))
    #expect(await consumer.next() == date(650))
    await clock.advance(by: .seconds(55))
    #expect(await consumer.next() == date(705))

    // It is -295 now, and the scheduler finds out 60 seconds from here.
    await clock.setWallClock(by: .seconds(-1000))
    await clock.advance(by: .seconds(100))
    #expect(await consumer.next() == date(-195))
    // The tick at -195 isn't repeated.
    await clock.setWallClock(by: .seconds(-50))
    await clock.advance(by: .seconds(110))
    #expect(await consumer.next() == date(-135))
  }

  @Test func `A clock set forward brings one late tick, then those of the new time`() async {
    let consumer = Consumer(scheduler.ticks(every: 60, starting: .aligned))
    await clock.advance(by: .seconds(30))
    #expect(await consumer.next() == date(60))
    await clock.setWallClock(by: .seconds(605))
    #expect(await consumer.next() == date(665))
    await clock.advance(by: .seconds(55))
    #expect(await consumer.next() == date(720))
  }

  @Test func `A clock set back brings the minutes of the new time`() async {
    // Waits until the consumer has asked for its next tick, by the clock before it is set.
    let time = VirtualTime(from: 30)
    let (clock, scheduler) = (time.clock, time.scheduler)
    let consumer = Consumer(scheduler.ticks(every: 60, starting: .aligned))
    await clock.advance(by: .seconds(30))
    #expect(await consumer.next() == date(60))
    await clock.setWallClock(by: .seconds(-1000))
    // It is -940 now. The scheduler finds out when the time to the next tick has passed, 60 seconds from here,
    // so one minute is skipped.
    await clock.advance(by: .seconds(60))
    #expect(clock.wakeupCount == 2)
    await clock.advance(by: .seconds(40))
    #expect(await consumer.next() == date(-840))
    await clock.advance(by: .seconds(60))
    #expect(await consumer.next() == date(-780))
  }

  @Test func `A tick isn't repeated when the clock is set back by less than an interval`() async {
    let consumer = Consumer(scheduler.ticks(every: 60, starting: .aligned))
    await clock.advance(by: .seconds(30))
    #expect(await consumer.next() == date(60))
    await clock.setWallClock(by: .seconds(-50))
    await clock.advance(by: .seconds(110))
    #expect(await consumer.next() == date(120))
  }

  @Test(.guarantee("G17"), arguments: [-3600.0, 3600, 1e9, -1e9])
  func `A clock that is set neither stalls nor bursts a timer on the monotonic clock`(step: Double) async {
    let consumer = Consumer(scheduler.ticks(every: 1))
    for second in 1...3 {
      await clock.advance(by: .seconds(1))
      #expect(await consumer.next() == date(30 + Double(second)))
    }
    await clock.setWallClock(by: .seconds(step))
    #expect(clock.wakeupCount == 3)
    for second in 4...6 {
      await clock.advance(by: .seconds(1))
      #expect(await consumer.next() == date(30 + Double(second) + step))
    }
    #expect(clock.wakeupCount == 6)
  }

  @Test func `A timer for a date follows the clock`() async {
    let forward = Consumer(scheduler.ticks(on: .at(date(1000))))
    await clock.setWallClock(by: .seconds(970))
    #expect(await forward.next() == date(1000))

    let back = Consumer(scheduler.ticks(on: .at(date(1100))))
    await clock.setWallClock(by: .seconds(-500))
    await clock.advance(by: .seconds(599.999))
    #expect(await scheduler.timerCount == 1)
    await clock.advance(by: .seconds(0.001))
    #expect(await back.next() == date(1100))
  }

  @Test func `A cadence from a date waits for it again when the clock is set back before it has begun`() async
  {
    let consumer = Consumer(scheduler.ticks(every: 60, starting: .at(date(100))))
    await clock.setWallClock(by: .seconds(-1000))
    await clock.advance(by: .seconds(1069))
    #expect(clock.date == date(99))
    await clock.advance(by: .seconds(1))
    #expect(await consumer.next() == date(100))
  }

  // seconds  31 |------------------> 91 |
  // seconds  33 <-----------------------|
  // passes    x                              x
  @Test func `A timer made after the clock was set forward follows it back, though no pass was in between`()
    async
  {
    let earlier = scheduler.timer(on: .at(date(95)))
    await clock.advance(by: .seconds(1))
    await clock.setWallClock(by: .seconds(60))
    let timer = scheduler.timer(on: .every(50, starting: .aligned))
    #expect(timer.nextDate == date(100))
    await clock.setWallClock(by: .seconds(-58))
    await scheduler.driver.runPass()
    #expect(timer.nextDate == date(50))
    #expect(earlier.nextDate == date(95))
  }

  // MARK: Rules

  @Test func `A rule says when to tick`() async {
    let consumer = Consumer(scheduler.ticks(on: .rule(EverySeconds(10))))
    for seconds in [40.0, 50, 60] {
      await clock.advance(by: .seconds(10))
      #expect(await consumer.next() == date(seconds))
    }
  }

  @Test(.guarantee("G36", "G88")) func `A rule is asked neither under a lock nor on the timer queue`() async {
    let scheduler = scheduler
    let rule = Answering { date in
      dispatchPrecondition(condition: .notOnQueue(scheduler.executor.queue))
      // Would deadlock under the timer's, the shard's or the names' lock.
      _ = scheduler.ticks(every: 1, name: "asked")
      return date + 10
    }
    let consumer = Consumer(scheduler.ticks(on: .rule(rule), name: "asked"))
    await clock.advance(by: .seconds(10))
    #expect(await consumer.next() == nil)

    let unnamed = Consumer(scheduler.ticks(on: .rule(rule)))
    await clock.advance(by: .seconds(10))
    #expect(await unnamed.next() == date(50))
  }

  @Test func `Dates that pass while a rule's consumer is busy are missed`() async {
    var ticks = scheduler.ticks(on: .rule(EverySeconds(10))).makeAsyncIterator()
    await clock.advance(by: .seconds(35))
    #expect(await ticks.next() == date(60))
    await clock.advance(by: .seconds(5))
    #expect(await ticks.next() == date(70))
  }

  @Test(arguments: RuleEnd.allCases)
  func `A rule ends with nil, the same date or one in the past`(end: RuleEnd) async {
    let rule = Answering { date in
      date < Date(timeIntervalSinceReferenceDate: 50) ? date + 20 : end.answer(to: date)
    }
    let consumer = Consumer(scheduler.ticks(on: .rule(rule)))
    await clock.advance(by: .seconds(20))
    #expect(await consumer.next() == date(50))
    #expect(await consumer.next() == nil)

    let never = Consumer(scheduler.ticks(on: .rule(Answering { end.answer(to: $0) })))
    #expect(await never.next() == nil)
    #expect(await scheduler.timerCount == 0)
  }

  enum RuleEnd: CaseIterable {
    case none, same, past, distantPast

    func answer(to date: Date) -> Date? {
      switch self {
      case .none: nil
      case .same: date
      case .past: date - 1
      case .distantPast: .distantPast
      }
    }
  }
}
