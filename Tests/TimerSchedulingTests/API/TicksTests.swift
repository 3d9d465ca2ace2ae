import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingTesting

@Suite struct TicksTests: VirtualTimeSuite {
  let time = VirtualTime.manual()

  // MARK: When ticks come

  // seconds    0    1    2    3    4
  // ticks                x         x
  @Test func `A repeating timer ticks at multiples of its interval`() async {
    var ticks = scheduler.ticks(every: .seconds(2)).makeAsyncIterator()
    await clock.advance(by: .seconds(3))
    #expect(await ticks.next() == start + 2)
    await clock.advance(by: .seconds(1))
    #expect(await ticks.next() == start + 4)
  }

  @Test func `A consumer that waits is woken for each tick`() async {
    let consumer = Consumer(scheduler.ticks(every: .seconds(1), limit: 3))
    for second in 1...3 {
      await clock.advance(by: .seconds(1))
      #expect(await consumer.next() == start + Double(second))
    }
    #expect(await consumer.next() == nil)
  }

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

  @Test(arguments: [
    (TimerSchedule.Start.afterInterval, [10.0, 20]), (.immediately, [0, 10]),
    (.after(.seconds(3)), [3, 13]), (.after(.zero), [0, 10]),
    (.at(Date(timeIntervalSinceReferenceDate: 4)), [4, 14]),
    (.at(Date(timeIntervalSinceReferenceDate: 0)), [0, 10]), (.aligned, [10, 20]),
    (.aligned(offset: .seconds(13)), [3, 13]), (.aligned(offset: .seconds(-7)), [3, 13]),
  ])
  func `The first tick comes when the schedule starts`(
    start: TimerSchedule.Start, expected: [Double]
  ) async {
    let consumer = Consumer(scheduler.ticks(every: 10, starting: start))
    for seconds in expected {
      await clock.advance(by: .seconds(seconds) - (clock.date - self.start))
      #expect(await consumer.next() == self.start + seconds)
    }
  }

  @Test func `A start that has passed brings one tick at once and the cadence from there`() async {
    await clock.advance(by: .seconds(23))
    var ticks = scheduler.ticks(every: 10, starting: .at(start)).makeAsyncIterator()
    await clock.advance(by: .zero)
    #expect(await ticks.next() == start + 23)
    await clock.advance(by: .seconds(7))
    #expect(await ticks.next() == start + 30)
  }

  @Test func `One-shots tick once`() async {
    let consumers = [
      Consumer(scheduler.ticks(on: .after(5))), Consumer(scheduler.ticks(on: .after(.seconds(5)))),
      Consumer(scheduler.ticks(on: .at(start + 5))),
    ]
    await clock.advance(by: .seconds(5))
    for consumer in consumers {
      #expect(await consumer.next() == start + 5)
      #expect(await consumer.next() == nil)
    }
    #expect(await scheduler.timerCount == 0)
  }

  @Test(.hazard("Z8"))
  func `A one-shot without delay, or for a date that has passed, ticks at once, and once`() async {
    for schedule in [TimerSchedule.after(.zero), .at(start), .at(start - 1), .at(.distantPast)] {
      let consumer = Consumer(scheduler.ticks(on: schedule))
      await clock.advance(by: .zero)
      #expect(await consumer.next() == clock.date)
      #expect(await scheduler.timerCount == 0)
      #expect(await consumer.next() == nil)
    }
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

  @Test(.guarantee("G2")) func `Ten thousand ticks later the grid is where arithmetic says`() async {
    let consumer = Consumer(scheduler.ticks(every: .nanoseconds(32_300_001), limit: 10_000))
    for _ in 0..<9_999 {
      await clock.advance(by: .nanoseconds(32_300_001))
      _ = await consumer.next()
    }
    await clock.advance(by: .nanoseconds(32_300_000))
    #expect(clock.armedCount == 1)
    await clock.advance(by: .nanoseconds(1))
    #expect(await consumer.next() == Date(Deadline(start) + Interval(nanoseconds: 323_000_010_000)))
    #expect(await consumer.next() == nil)
  }

  // MARK: Missed ticks

  @Test(
    .guarantee("G20"),
    arguments: [
      (MissedTickBehavior.skip, [3.0, 4]), (.burst, [1, 2, 3, 4]), (.delay, [3, 4.5]),
    ])
  func `A consumer that comes late`(behavior: MissedTickBehavior, expected: [Double]) async {
    var ticks = scheduler.ticks(every: .seconds(1), missedTicks: behavior).makeAsyncIterator()
    await clock.advance(by: .seconds(3.5))
    for seconds in expected {
      if start + seconds > clock.date { await clock.advance(by: .seconds(1)) }
      #expect(await ticks.next() == start + seconds)
    }
  }

  @Test(.guarantee("G23")) func `A consumer that isn't there costs no wakeup`() async {
    let stream = scheduler.ticks(every: .nanoseconds(1))
    await clock.advance(by: .seconds(3_600))
    #expect(clock.wakeupCount == 1)
    #expect(clock.armedCount == 0)
    var ticks = stream.makeAsyncIterator()
    #expect(await ticks.next() == clock.date)
  }

  @Test(.guarantee("G24")) func `A limit counts turns of the loop, however slow it is`() async {
    var ticks = scheduler.ticks(every: 1, limit: 5).makeAsyncIterator()
    for turn in 1...5 {
      await clock.advance(by: .seconds(7))
      #expect(await ticks.next() == start + Double(7 * turn))
    }
    #expect(await ticks.next() == nil)
  }

  // MARK: Together

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

  @Test func `A timer's own tolerance stands before the scheduler's`() async {
    let lenient = clock.makeScheduler(tolerance: .seconds(1))
    var ticks = lenient.ticks(every: 1, tolerance: .zero).makeAsyncIterator()
    await clock.advance(by: .seconds(1.5))
    #expect(await ticks.next() == start + 1)
  }

  @Test(.hazard("Y1", "Y3"), .guarantee("G19"))
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

extension Date {
  fileprivate static func - (left: Date, right: Date) -> Duration {
    .seconds(left.timeIntervalSince(right))
  }
}
