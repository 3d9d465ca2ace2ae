import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingTesting

@Suite struct TicksTests: VirtualTimeSuite {
  let time = VirtualTime.manual()

  @Test func `A timer ends with its firings, named or not`() async {
    var firings: TimerFirings? = scheduler.firings(on: .every(1))
    let owner = TimerOwner()
    let named = [
      Consumer(scheduler.firings(on: .every(1), name: "a")),
      Consumer(scheduler.firings(on: .every(1).limit(2), name: "a", owner: owner)),
    ]
    #expect(await scheduler.snapshots.count == 3)
    for index in 0..<2 {
      await clock.advance(by: .seconds(1))
      for consumer in named { #expect(await consumer.next()?.index == index) }
    }
    #expect(await named[1].next() == nil)
    var iterator = firings?.makeAsyncIterator()
    firings = nil
    #expect(await iterator?.next()?.missedCount == 1)
    iterator = nil
    named[0].cancel()
    await named[0].waitUntilDone()
    #expect(await scheduler.snapshots.isEmpty)
  }

  @Test(
    .hazard("W1", "Y2", "Y3"),
    arguments: [
      (.every(.nanoseconds(1)), 1), (.every(.nanoseconds(1_000_001)), 1_000_001),
      (.every(.seconds(86_400 * 400)), 34_560_000_000_000_000), (.every(1e-9), 1), (.every(0.05), 50_000_000),
      (.every(1.999), 1_999_000_000), (.every(32.3), 32_300_000_000), (.every(33.333), 33_333_000_000),
    ] as [(TimerSchedule, Int)])
  func `An interval is kept to the nanosecond`(schedule: TimerSchedule, nanoseconds: Int) async {
    var firings = scheduler.timer(on: schedule).firings.makeAsyncIterator()
    await clock.advance(by: .nanoseconds(nanoseconds - 1))
    #expect(clock.wakeupCount == 0)
    await clock.advance(by: .nanoseconds(1))
    for number in 1...3 {
      let tick = await firings.next()
      let due = Deadline(start) + Interval(.nanoseconds(nanoseconds * number))
      #expect(tick?.scheduledDate == Date(due))
      #expect(tick?.lateness == .zero)
      await clock.advance(by: .nanoseconds(nanoseconds))
    }
  }

  @Test(.guarantee("G24")) func `A consumer that isn't there costs no wakeup`() async {
    let stream = scheduler.ticks(every: .nanoseconds(1))
    await clock.advance(by: .seconds(3_600))
    #expect(clock.wakeupCount == 1)
    #expect(clock.armedCount == 0)
    var ticks = stream.makeAsyncIterator()
    #expect(await ticks.next() == clock.date)
  }

  @Test(.guarantee("G4")) func `Timers due together share one wakeup and one date`() async {
    let consumers = (1...50).map { _ in Consumer(scheduler.ticks(every: 1)) }
    await clock.advance(by: .seconds(1))
    for consumer in consumers { #expect(await consumer.next() == start + 1) }
    #expect(clock.wakeupCount == 1)
  }

  @Test(.guarantee("G4"))
  func `Timers due together share a date though the clock moves on while they are fired`() async {
    let clock = VirtualClock.manual(stepPerReading: .microseconds(1))
    let scheduler = clock.makeScheduler()
    let date = clock.date + 10
    let consumers = (1...50).map { _ in Consumer(scheduler.ticks(on: .at(date))) }
    await clock.advance(by: .seconds(11))
    var dates: Set<Date> = []
    for consumer in consumers { if let date = await consumer.next() { dates.insert(date) } }
    #expect(dates.count == 1)
  }

  // first      |====|         due at 1, may be late until 2
  // second       |            due at 1.5, may not be late
  @Test(.guarantee("G5")) func `Timers whose tolerances overlap are fired together`() async {
    let first = Consumer(scheduler.ticks(on: .after(1).tolerance(.seconds(1))))
    let second = Consumer(scheduler.ticks(on: .after(1.5)))
    await clock.advance(by: .seconds(10))
    #expect(await first.next() == start + 1.5)
    #expect(await second.next() == start + 1.5)
    #expect(clock.wakeupCount == 1)
  }

  @Test(.hazard("M2", "M5"), .guarantee("G5"))
  func `A tolerance is used up when nothing else is due, and doesn't shift the grid`() async {
    let lenient = clock.makeScheduler(tolerance: .milliseconds(100))
    var ticks = lenient.ticks(every: 1).makeAsyncIterator()
    await clock.advance(by: .seconds(1.5))
    #expect(await ticks.next() == start + 1.1)
    await clock.advance(by: .seconds(1))
    #expect(await ticks.next() == start + 2.1)
  }

  @Test(.hazard("Y1", "Y3"), .guarantee("G20"))
  func `Timers that come, tick and go don't move another`() async {
    let slow = Consumer(scheduler.ticks(every: 32.299))
    var kept: [AsyncStream<Date>] = []
    for number in 1...322 {
      await clock.advance(by: .milliseconds(100))
      let stream = scheduler.ticks(every: number.isMultiple(of: 4) ? 0.05 : Double(number) / 7)
      if number.isMultiple(of: 2) { kept.append(stream) }
    }
    await clock.advance(by: .milliseconds(99))
    #expect(await slow.next() == start + 32.299)
    kept = []
    await clock.advance(by: .milliseconds(32_299))
    #expect(await slow.next() == start + 64.598)
  }
}
