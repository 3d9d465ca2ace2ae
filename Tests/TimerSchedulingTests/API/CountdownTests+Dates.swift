import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingTesting

/// Countdowns to a date.
extension CountdownTests {
  @Test(
    .guarantee("G97"),
    arguments: [
      (3.0, 1.0, [3.0, 2, 1, 0]), (2.5, 1, [3, 2, 1, 0]), (10, 4, [12, 8, 4, 0]), (0, 1, [0]), (-5, 1, [0]),
      (0.25, 1, [1, 0]),
    ])
  func `Values before a date are multiples of the step, and zero comes at the date`(
    distance: Double, step: Double, expected: [Double]
  ) async {
    let countdown = scheduler.countdown(until: start + distance, every: .seconds(step))
    #expect(countdown.value == .seconds(max(distance, 0)))
    let consumer = Consumer(countdown.values)
    #expect(await consumer.next() == .seconds(expected[0]))
    for value in expected.dropFirst() {
      // A moment before, the value before still holds.
      await clock.advance(to: start + (distance - value - 0.001))
      await clock.advance(to: start + (distance - value))
      #expect(await consumer.next() == .seconds(value))
    }
    #expect(await consumer.next() == nil)
    #expect(countdown.timer.state == .finished(.completed))
  }

  @Test(.guarantee("G97"))
  func `After a sleep of the machine a countdown to a date has the value that fits`() async {
    let byDate = scheduler.countdown(until: start + 60)
    let byTime = scheduler.countdown(from: .seconds(60))
    let consumer = Consumer(byDate.values)
    #expect(await consumer.next() == .seconds(60))
    // The monotonic clock stands still meanwhile.
    await clock.setWallClock(to: start + 50)
    #expect(byDate.value == .seconds(10))
    #expect(byTime.value == .seconds(60))
    #expect(await consumer.next() == .seconds(10))
    await advance(1)
    #expect(await consumer.next() == .seconds(9))
    await clock.setWallClock(to: start + 300)
    #expect(await consumer.next() == .zero)
    #expect(await consumer.next() == nil)
  }

  @Test(.guarantee("G97"))
  func `After a clock was set back, the values fit the date again`() async {
    let owner = TimerOwner()
    let (countdown, noted) = (scheduler.countdown(until: start + 10), Journal<Duration>())
    scheduler.countdown(until: start + 10, owner: owner) { _, value in noted.note(value) }
    let consumer = Consumer(countdown.values)
    #expect(await consumer.next() == .seconds(10))
    await advance(5)
    for seconds in [9, 8, 7, 6, 5] { #expect(await consumer.next() == .seconds(seconds)) }
    // Half a second and an hour before the first value.
    await clock.setWallClock(to: start - 3600.5)
    #expect(countdown.value == .seconds(3610.5))
    #expect(await consumer.next() == .seconds(3611))
    await advance(1.5)
    for seconds in [3610, 3609] { #expect(await consumer.next() == .seconds(seconds)) }
    await clock.setWallClock(to: start + 7)
    for seconds in [3, 2] {
      #expect(await consumer.next() == .seconds(seconds))
      await advance(1)
    }
    #expect(await consumer.next() == .seconds(1))
    await advance(1)
    #expect(await consumer.next() == .zero)
    #expect(await consumer.next() == nil)
    #expect(noted.entries == [10, 9, 8, 7, 6, 5, 3611, 3610, 3609, 3, 2, 1, 0].map { .seconds($0) })
  }

  @Test(.guarantee("G97"))
  func `A clock that is set back changes neither the values of a countdown that has ended, nor its progress`()
    async
  {
    let countdown = scheduler.countdown(until: start + 3)
    let past = scheduler.countdown(until: start - 1, name: "past")
    await advance(4)
    await clock.setWallClock(to: start)
    for ended in [countdown, past] {
      #expect(ended.value == .zero)
      #expect(ended.progress == 1)
      let consumer = Consumer(ended.values)
      #expect(await consumer.next() == .zero)
      #expect(await consumer.next() == nil)
    }
  }

  @Test(.guarantee("G97"))
  func `A countdown that no task watched begins with the value that fits the date after a set-back`() async {
    let countdown = scheduler.countdown(until: start + 10, name: "sale")
    await advance(4)
    await clock.setWallClock(to: start - 100)
    let consumer = Consumer(countdown.values)
    #expect(await consumer.next() == .seconds(110))
    await advance(1)
    #expect(await consumer.next() == .seconds(109))
    #expect(0.0...0.1 ~= countdown.progress)
    await clock.setWallClock(to: start - 200.5)
    countdown.cancel()
    #expect(countdown.value == .seconds(210.5))
    #expect(countdown.timer.schedule?.description == "countdown until 2001-01-01T00:00:10Z every 1 s")
    await clock.setWallClock(to: start)
    #expect(countdown.value == .seconds(210.5))
  }

  @Test func `A countdown is extended from the time that is left after the clock was set back`() async {
    let countdown = scheduler.countdown(until: start + 10)
    let consumer = Consumer(countdown.values)
    for seconds in [10, 9] {
      #expect(await consumer.next() == .seconds(seconds))
      await advance(1)
    }
    #expect(await consumer.next() == .seconds(8))
    await clock.setWallClock(to: start - 100)
    countdown.extend(by: -50)
    #expect(countdown.value == .seconds(60))
    countdown.pause()
    await clock.setWallClock(to: start - 200)
    countdown.extend(by: -50)
    #expect(countdown.value == .seconds(10))
    countdown.resume()
    #expect(countdown.value == .seconds(110))
    await advance(110)
    #expect(countdown.timer.state == .finished(.completed))
  }

  @Test(.guarantee("G97")) func `A pause holds the value of a countdown to a date, but not the date`() async {
    let countdown = scheduler.countdown(until: start + 10)
    let consumer = Consumer(countdown.values)
    #expect(await consumer.next() == .seconds(10))
    await advance(2)
    for seconds in [9, 8] { #expect(await consumer.next() == .seconds(seconds)) }
    countdown.pause()
    await advance(3)
    #expect(countdown.value == .seconds(8))
    countdown.resume()
    #expect(countdown.value == .seconds(5))
    await advance(5)
    #expect(countdown.timer.state == .finished(.completed))
  }

  @Test func `A countdown to a date can be extended`() async {
    let countdown = scheduler.countdown(until: start + 10, name: "sale")
    countdown.extend(by: 5)
    await advance(14)
    #expect(scheduler.countdown(named: "sale")?.value == .seconds(1))
    #expect(countdown.timer.schedule?.description == "countdown until 2001-01-01T00:00:15Z every 1 s")
    await advance(1)
    #expect(countdown.timer.state == .finished(.completed))
    #expect(countdown.value == .zero)
  }

  @Test func `Countdowns to dates beyond the clock's range show the time that is left`() async {
    let countdown = scheduler.countdown(until: .distantFuture, every: .seconds(86_400))
    #expect(countdown.value > .seconds(60_000_000_000))
    #expect(countdown.progress < 0.01)
    await advance(86_400)
    #expect(countdown.timer.state == .scheduled)
  }

  @Test(arguments: [Double.infinity, -.infinity, 1e18, -1e18, 1e300, .leastNonzeroMagnitude])
  func `A countdown to any date that is a number goes on, or is over`(seconds: Double) async {
    let countdown = scheduler.countdown(until: Date(timeIntervalSinceReferenceDate: seconds), name: "any")
    await advance(0)
    await clock.setWallClock(to: start - 1e9)
    await advance(1)
    #expect(countdown.timer.state == (seconds > 1 ? .scheduled : .finished(.completed)))
    #expect(countdown.value >= .zero)
    #expect(0...1 ~= countdown.progress)
    #expect(!countdown.description.isEmpty)
  }

  @Test func `A countdown needs a date that is a number, and a step above zero`() async {
    await #expect(processExitsWith: .failure) {
      TimerScheduler().countdown(until: Date(timeIntervalSinceReferenceDate: .nan))
    }
    await #expect(processExitsWith: .failure) { TimerScheduler().countdown(until: .now, every: .zero) }
  }
}

/// Countdowns with an action.
extension CountdownTests {
  @Test(.guarantee("G98"), arguments: [(3.0, 0.0, [3.0, 2, 1, 0]), (0, 2, [0, 1, 2]), (5, 5, [5])])
  func `An action gets each value, the first at once`(from: Double, to: Double, expected: [Double]) async {
    let (owner, values) = (TimerOwner(), Journal<Duration>())
    let countdown = scheduler.countdown(from: from, to: to, owner: owner) { _, value in values.note(value) }
    await advance(0)
    #expect(values.entries == [.seconds(from)])
    await advance(10)
    #expect(values.entries == expected.map { .seconds($0) })
    #expect(countdown.timer.state == .finished(.completed))
  }

  @Test(.guarantee("G98")) func `An action gets the values up to a date`() async {
    let (owner, values) = (TimerOwner(), Journal<Duration>())
    scheduler.countdown(until: start + 1.5, owner: owner) { _, value in values.note(value) }
    scheduler.countdown(until: start - 1, owner: owner) { _, value in values.note(value) }
    await advance(10)
    #expect(values.entries == [.seconds(2), .zero, .seconds(1), .zero])
  }

  @Test(.guarantee("G98")) func `An action that takes its time gets the newest value next, and none twice`()
    async
  {
    let (owner, values) = (TimerOwner(), Journal<Duration>())
    scheduler.countdown(from: 10, owner: owner) { [clock] _, value in
      values.note(value)
      try? await clock.sleep(for: .seconds(2.5))
    }
    await advance(20)
    #expect(values.entries == [.seconds(10), .seconds(8), .seconds(5), .seconds(3), .zero])
  }

  @Test(.guarantee("G98")) func `Firing a countdown by hand brings its action no value twice`() async {
    let (owner, values) = (TimerOwner(), Journal<Duration>())
    let countdown = scheduler.countdown(from: 2, owner: owner) { _, value in values.note(value) }
    for _ in 1...8 {
      countdown.timer.fire()
      await advance(0.25)
    }
    #expect(values.entries == [.seconds(2), .seconds(1), .zero])
  }

  @Test(.guarantee("G98")) func `A countdown with an action and without any time is found by its name`()
    async
  {
    let (owner, values) = (TimerOwner(), Journal<Duration>())
    scheduler.countdown(until: start, name: "code", owner: owner) { _, value in values.note(value) }
    #expect(scheduler.countdown(named: "code", owner: owner)?.value == .zero)
    await advance(0)
    #expect(values.entries == [.zero])
    #expect(scheduler.countdown(named: "code", owner: owner) == nil)
  }

  @Test(.guarantee("G98")) func `An action ends with its owner, and an error doesn't end the countdown`()
    async throws
  {
    let (owner, values) = (Box<TimerOwner>(), Journal<Duration>())
    owner.value = TimerOwner()
    let countdown = scheduler.countdown(from: 10, owner: try #require(owner.value)) { _, value in
      values.note(value)
      throw CancellationError()
    }
    await advance(2)
    owner.value = nil
    await advance(2)
    #expect(values.entries == [.seconds(10), .seconds(9), .seconds(8)])
    #expect(countdown.timer.state == .finished(.ownerReleased))
    #expect(countdown.timer.failure is CancellationError)
  }

  @Test(.guarantee("G98")) func `A countdown that has ended releases its action`() async {
    let owner = TimerOwner()
    for isCancelled in [false, true] {
      let releases = Counter()
      let countdown = scheduler.countdown(from: 2, owner: owner) {
        [probe = ReleaseProbe(releases.add)] _, _ in
        withExtendedLifetime(probe) {}
      }
      if isCancelled { countdown.cancel() }
      await advance(3)
      #expect(releases.value == 1)
    }
  }
}
