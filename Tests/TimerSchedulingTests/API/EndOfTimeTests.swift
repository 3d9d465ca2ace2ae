import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingTesting

/// Clocks that come to the end of their range, with timers on both.
@Suite(.limited, .guarantee("G7")) struct EndOfTimeTests {
  /// The last date that a wall clock can show, in 2262.
  private static let lastDate = Date(Deadline.never)

  static let dates = [
    Date.distantPast, Date(timeIntervalSinceReferenceDate: 0), lastDate - 100, .distantFuture,
  ]

  static let schedules = [
    TimerSchedule.every(1), .every(1e10), .every(1e10, starting: .at(lastDate - 1)),
    .every(1e10, starting: .aligned), .every(1e10, starting: .immediately), .every(1, starting: .aligned),
    .every(60, starting: .aligned),
    .every(60, starting: .aligned(offset: .seconds(-0.5))), .every(1, starting: .at(lastDate - 1)),
    .at(lastDate - 1), .at(lastDate), .at(.distantFuture),
    .at(Date(timeIntervalSinceReferenceDate: 10)), .after(.seconds(9_000_000_000)), .after(.zero),
    .rule(Answering { $0 + 1 }), .rule(Answering { _ in lastDate - 1 }),
    .every(1).tolerance(.seconds(Int64.max)), .every(3600).jitter(upTo: .seconds(Int64.max)),
  ]

  // At the end of the monotonic clock's range, the wall clock may also have ended, and timers on it wait.
  @Test(arguments: dates, [Duration.seconds(8_000_000_000), .seconds(9_300_000_000), .seconds(Int64.max)])
  func `Every move ends, however far the clock was stalled`(date: Date, stall: Duration) async {
    let clock = VirtualClock.manual(date: date)
    let scheduler = clock.makeScheduler()
    var streams: [AsyncStream<Date>] = []
    let consumers = Self.schedules.map { Consumer(scheduler.ticks(on: $0)) }
    for schedule in Self.schedules {
      streams.append(scheduler.ticks(on: schedule))
      scheduler.schedule(schedule) { _ in }
    }
    await clock.advance(by: .seconds(2))
    await clock.stall(for: stall)
    await clock.advance(by: .seconds(2))
    #expect(await scheduler.statistics.activeCount > 0)
    await clock.setWallClock(to: Date(timeIntervalSinceReferenceDate: 0))
    await clock.advance(by: .seconds(2))
    await clock.setWallClock(to: Self.lastDate - 1)
    await clock.advance(by: .seconds(2))
    await clock.setWallClock(to: .distantFuture)
    await clock.stall(for: stall)
    await clock.advance(by: .seconds(2))
    // An endless series of wakeups would add very many.
    #expect(clock.wakeupCount < 100_000)
    for consumer in consumers { consumer.cancel() }
    scheduler.shutdown()
    withExtendedLifetime(streams) {}
  }

  @Test(arguments: [Date.distantFuture, Date(timeIntervalSinceReferenceDate: 0)])
  func `A scheduler whose clocks have come to their end rests`(date: Date) async {
    let clock = VirtualClock.manual(date: date)
    let scheduler = clock.makeScheduler()
    for schedule in Self.schedules { scheduler.schedule(schedule) { _ in } }
    await clock.stall(for: .seconds(Int64.max))
    await clock.advance(by: .seconds(1))
    // A driver that doesn't rest would make a pass between any two of these. Runs that end meanwhile ask for
    // a few.
    for _ in 0..<1_000 { await scheduler.waitForQueue() }
    #expect(await scheduler.driver.passCount < 100)
  }

  // monotonic   ···|end          The end of the monotonic clock comes before the date.
  // wall        ······|date
  @Test func `At the end of the monotonic clock, a date that is still to come isn't due`() async {
    let clock = VirtualClock.manual(date: .distantPast)
    let scheduler = clock.makeScheduler()
    var ticks = scheduler.ticks(on: .at(Date(timeIntervalSinceReferenceDate: 0))).makeAsyncIterator()
    await clock.stall(for: .seconds(Int64.max))
    await clock.setWallClock(to: Date(timeIntervalSinceReferenceDate: -10))
    let wakeups = clock.wakeupCount
    await clock.advance(by: .seconds(5))
    #expect(clock.wakeupCount == wakeups)
    // Set forward, it comes.
    await clock.setWallClock(to: Date(timeIntervalSinceReferenceDate: 1))
    #expect(await ticks.next() == Date(timeIntervalSinceReferenceDate: 1))
  }
}
