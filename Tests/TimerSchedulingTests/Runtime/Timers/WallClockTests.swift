import Dispatch
import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingTesting

@Suite(.limited, .guarantee("G19")) struct WallClockTests: VirtualTimeSuite {
  // Half past the reference date's first minute.
  let time = VirtualTime.manual(from: 30)

  private func date(_ seconds: Double) -> Date { Date(timeIntervalSinceReferenceDate: seconds) }

  @Test func `A clock set back brings the minutes of the new time`() async {
    // Waits until the consumer has asked for its next tick, by the clock before it is set.
    let time = VirtualTime(from: 30)
    let (clock, scheduler) = (time.clock, time.scheduler)
    let consumer = Consumer(scheduler.ticks(every: 60, starting: .aligned))
    await clock.advance(by: .seconds(30))
    #expect(await consumer.next() == date(60))
    await clock.setWallClock(by: .seconds(-1000))
    // It is -940 now, and the scheduler notices at once.
    await clock.advance(by: .seconds(40))
    #expect(clock.wakeupCount == 2)
    #expect(await consumer.next() == date(-900))
    await clock.advance(by: .seconds(60))
    #expect(await consumer.next() == date(-840))
  }

  @Test(.guarantee("G18"), arguments: [-3600.0, 3600, 1e9, -1e9])
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

  @Test(.guarantee("G37", "G90")) func `A rule is asked neither under a lock nor on the timer queue`() async {
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
}
