import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingTesting

@Suite(.guarantee("G7")) struct ExtremesTests: VirtualTimeSuite {
  let time = VirtualTime.manual()

  private static let endless = Duration.seconds(Int64.max) * 10

  @Test(
    .hazard("Z6"),
    arguments: [
      TimerSchedule.every(.seconds(Int64.max)), .every(endless), .every(TimeInterval.greatestFiniteMagnitude),
      .every(1, starting: .after(endless)), .every(1, starting: .at(.distantFuture)), .after(endless),
      .every(1e10), .after(1e19), .after(1e30), .at(.distantFuture),
      .at(Date(timeIntervalSinceReferenceDate: .infinity)),
      .every(endless, starting: .aligned), .rule(Answering { _ in .distantFuture }),
    ])
  func `A deadline beyond the clock never comes, and asks for no wakeup`(schedule: TimerSchedule) async {
    let stream = scheduler.ticks(on: schedule)
    await clock.advance(by: .seconds(100 * 365 * 86_400))
    #expect(await scheduler.timerCount == 1)
    #expect(clock.armedCount == 0)
    #expect(clock.wakeupCount == 0)
    var ticks = scheduler.ticks(every: 1).makeAsyncIterator()
    await clock.advance(by: .seconds(1))
    #expect(await ticks.next() == clock.date)
    withExtendedLifetime(stream) {}
  }

  @Test(
    .hazard("Z8"),
    arguments: [
      TimerSchedule.every(.nanoseconds(1)), .every(1e-10), .every(.nanoseconds(1), starting: .aligned),
      .every(.nanoseconds(1), starting: .aligned(offset: endless)),
      .every(1e-6, starting: .spread(by: "", over: endless)),
      .every(.nanoseconds(1), starting: .at(.distantPast)), .every(endless, starting: .at(.distantPast)),
      .every(endless, starting: .immediately), .after(.zero), .at(.distantPast),
      .at(Date(timeIntervalSinceReferenceDate: -.infinity)), .every(1).jitter(upTo: endless),
      .every(1).tolerance(endless), .every(1).until(Date(timeIntervalSinceReferenceDate: .infinity)),
    ])
  func `The smallest and largest numbers neither trap nor spin`(schedule: TimerSchedule) async {
    for behavior in [MissedTickBehavior.skip, .burst, .delay] {
      let clock = VirtualClock.manual()
      let scheduler = clock.makeScheduler()
      let stream = scheduler.ticks(on: schedule.missedTicks(behavior))
      await clock.advance(by: .seconds(3600))
      #expect(clock.wakeupCount <= 1)
      var iterator = stream.makeAsyncIterator()
      #expect(await iterator.next() != nil)
      await clock.advance(by: .nanoseconds(1))
      #expect(clock.wakeupCount <= 2)
    }
  }

  @Test(arguments: [Date.distantPast, Date(timeIntervalSinceReferenceDate: -1e12), .distantFuture])
  func `A wall clock at its ends doesn't stop timers on the monotonic one`(date: Date) async {
    let clock = VirtualClock.manual(date: date)
    let scheduler = clock.makeScheduler()
    let aligned = Consumer(scheduler.ticks(every: 1, starting: .aligned))
    let consumer = Consumer(scheduler.ticks(every: 1, limit: 3))
    for _ in 0..<3 {
      await clock.advance(by: .seconds(1))
      #expect(await consumer.next() != nil)
    }
    #expect(await consumer.next() == nil)
    aligned.cancel()
  }
}
