import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingTesting

extension CountdownTests {
  @Test(.guarantee("G96"))
  func `A countdown that is extended shows more at once, and takes that much longer`() async {
    let down = scheduler.countdown(from: .seconds(3))
    let up = scheduler.countdown(from: .zero, to: .seconds(3))
    let consumer = Consumer(down.values)
    #expect(await consumer.next() == .seconds(3))
    await advance(1)
    #expect(await consumer.next() == .seconds(2))
    #expect(down.extend(by: .seconds(1)) && up.extend(by: .seconds(1)))
    #expect(down.value == .seconds(3) && up.value == .seconds(1))
    #expect(down.progress == 0.25 && up.progress == 0.25)
    for remaining in [2.0, 1, 0] {
      await advance(1)
      #expect(await consumer.next() == .seconds(remaining))
    }
    #expect(await consumer.next() == nil)
    #expect(up.value == .seconds(4))
    #expect(up.timer.state == .finished(.completed))
    #expect(!down.extend(by: .seconds(1)))
    #expect(down.value == .zero)
  }

  @Test(.guarantee("G96"))
  func `A countdown that is shortened to less than has elapsed ends at once, with its last value`()
    async
  {
    let countdown = scheduler.countdown(from: .seconds(60), every: .seconds(10))
    let consumer = Consumer(countdown.values)
    #expect(await consumer.next() == .seconds(60))
    await advance(10)
    #expect(await consumer.next() == .seconds(50))
    #expect(countdown.extend(by: .seconds(-55)))
    #expect(countdown.value == .zero && countdown.progress == 1)
    #expect(await consumer.next() == .zero)
    #expect(await consumer.next() == nil)
    #expect(countdown.timer.state == .finished(.completed))
    #expect(!countdown.extend(by: .seconds(60)))
  }

  @Test func `A paused countdown can be extended, and has that much left when it goes on`() async {
    let countdown = scheduler.countdown(from: .seconds(10))
    await advance(4)
    countdown.pause()
    await advance(100)
    #expect(countdown.extend(by: .seconds(20)))
    #expect(countdown.value == .seconds(26))
    countdown.resume()
    await advance(25.5)
    #expect(countdown.value == .seconds(0.5))
    await advance(0.5)
    #expect(countdown.timer.state == .finished(.completed))
    // A span that is longer than any duration counts as the longest one.
    #expect(scheduler.countdown(from: .seconds(1)).extend(by: .seconds(Int64.max)))
  }

  @Test func `A countdown whose end has passed can't be extended, and still ends`() async {
    let countdown = scheduler.countdown(from: .seconds(10))
    clock.letPass(.seconds(11))
    #expect(!countdown.extend(by: .seconds(20)))
    #expect(countdown.value == .zero)
    await advance(0)
    #expect(countdown.timer.state == .finished(.completed))
  }

  // A count up can't end at less than its value.
  @Test(
    .guarantee("G96"),
    arguments: [(30.0, 0.0, 10.0, 0.0), (0, 30, 10, 10), (30, 0, 0, 0), (0, 30, 0, 0)], [false, true])
  func `A countdown without listeners has ended once it is shortened to nothing, paused or not`(
    ends: (start: Double, end: Double, elapsed: Double, last: Double), isPaused: Bool
  ) async {
    for excess in [0, 0.000_000_001, 1e10] {
      let countdown = scheduler.countdown(from: ends.start, to: ends.end, every: 10)
      await advance(ends.elapsed)
      if isPaused { countdown.pause() }
      #expect(countdown.extend(by: .seconds(ends.elapsed - 30 - excess)))
      #expect(countdown.timer.state == .finished(.completed))
      #expect(countdown.value == .seconds(ends.last) && countdown.progress == 1)
      #expect(await countdown.timer.waitUntilFinished() == .completed)
      #expect(await scheduler.timerCount == 0)
    }
  }

  @Test func `A countdown with a nanosecond left goes on for that time`() async {
    let countdown = scheduler.countdown(from: .seconds(30))
    await advance(10)
    #expect(countdown.extend(by: .nanoseconds(1) - .seconds(20)))
    #expect(countdown.timer.state == .scheduled && countdown.value == .nanoseconds(1))
    await clock.advance(by: .nanoseconds(1))
    #expect(countdown.timer.state == .finished(.completed))
  }

  @Test(.guarantee("G96"))
  func `A paused countdown that is shortened to nothing ends with the pause`() async {
    let countdown = scheduler.countdown(from: .seconds(10))
    let consumer = Consumer(countdown.values)
    #expect(await consumer.next() == .seconds(10))
    await advance(1)
    #expect(await consumer.next() == .seconds(9))
    countdown.pause()
    #expect(countdown.extend(by: .seconds(-9)))
    #expect(countdown.timer.state == .paused && countdown.value == .zero)
    #expect(!countdown.extend(by: .seconds(9)))
    countdown.resume()
    #expect(await consumer.next() == .zero)
    #expect(await consumer.next() == nil)
    #expect(countdown.timer.state == .finished(.completed))
  }

  @Test func `The observer sees a countdown that is shortened to nothing end`() async {
    let events = Journal<TimerEvent>()
    let scheduler = TimerScheduler(clock: clock, configuration: .init(observer: events))
    #expect(scheduler.countdown(from: .seconds(10), name: "a").extend(by: .seconds(-10)))
    await scheduler.shutdownAndWait()
    #expect(events.lines == ["a scheduled", "a rescheduled", "a finished: completed"])
  }
}
