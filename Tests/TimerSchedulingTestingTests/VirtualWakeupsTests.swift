import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingTesting

/// Many schedulers on one clock.
@Suite(.limited, .guarantee("G140")) struct VirtualWakeupsTests {
  private let start = Date(timeIntervalSinceReferenceDate: 0)

  // All of them wait for a deadline, which comes later.
  @Test(arguments: [0, 1000]) func `Schedulers that wait cost nothing in a tick of another`(count: Int) async
  {
    let (clock, log) = (VirtualClock(settlingTimeout: .seconds(60)), Journal<Date>())
    let waiting = (0..<count).map { number in
      let scheduler = TimerScheduler(clock: clock)
      scheduler.schedule(.after(.seconds(1_000_000 + number))) { _ in }
      scheduler.schedule(.at(start + 1_000_000 + Double(number))) { _ in }
      return scheduler
    }
    TimerScheduler(clock: clock).schedule(.every(1)) { log.note($0.date) }
    await clock.advance(by: .seconds(1))
    #expect(clock.armedCount == 2 * count + 1)
    let (works, looks) = (clock.workCount, clock.lookCount)

    await clock.advance(by: .seconds(100))
    #expect(log.entries == (1...101).map { start + Double($0) })
    // Each tick is one wakeup, found and taken, and a few visits of its own scheduler.
    #expect(clock.lookCount - looks <= 4 * 100)
    #expect(clock.workCount - works <= 20 * 100)
    withExtendedLifetime(waiting) {}
  }

  @Test func `Wakeups of many schedulers that are due together are each looked at once and taken once`() async
  {
    let (clock, log) = (VirtualClock(settlingTimeout: .seconds(60)), Journal<Int>())
    for number in 0..<200 {
      TimerScheduler(clock: clock).schedule(.every(1)) { _ in log.note(number) }
    }
    await clock.advance(by: .zero)
    let looks = clock.lookCount
    await clock.advance(by: .seconds(3))
    #expect(log.entries == (0..<600).map { $0 % 200 })
    #expect(clock.lookCount - looks <= 4 * 600)
  }

  @Test func `Wakeups on both clocks that are due together come in the order of their schedulers`() async {
    for _ in 0..<10 {
      let (clock, log) = (VirtualClock(settlingTimeout: .seconds(60)), Journal<Int>())
      for number in 0..<3 {
        let scheduler = TimerScheduler(clock: clock)
        scheduler.schedule(.at(start + 2)) { _ in log.note(number) }
        scheduler.schedule(.after(.seconds(2.5))) { _ in log.note(number) }
      }
      await clock.advance(by: .seconds(1))
      // The dates are due together with the timers that are due then by the monotonic clock.
      await clock.setWallClock(to: start + 0.5)
      await clock.advance(by: .seconds(1.5))
      #expect(log.entries == [0, 0, 1, 1, 2, 2])
    }
  }

  // Without a scheduler, which is woken by the monotonic clock, too.
  @Test(arguments: [-50.0, 50]) func `A wakeup on the wall clock comes at its date, though the clock was set`(
    step: Double
  ) async {
    let (clock, wakeups) = (VirtualClock.manual(), Journal<Duration>())
    let source = clock.makeWakeupSource(on: .wall, executor: QueueExecutor(label: "wakeups")) {
      wakeups.note(clock.now.offset)
    }
    source.arm(at: Deadline(start + 100))
    await clock.advance(by: .seconds(10))
    await clock.setWallClock(to: clock.date + step)
    await clock.advance(by: .seconds(200))
    #expect(wakeups.entries == [.seconds(100 - step)])
  }

  @Test func `A wakeup that was due before the wall clock was set back waits for its date`() async {
    let (clock, log) = (VirtualClock(settlingTimeout: .seconds(60)), Journal<Date>())
    let tasks = Journal<Task<Void, Never>>()
    TimerScheduler(clock: clock).schedule(.at(start + 10)) { _ in
      for task in tasks.entries { task.cancel() }
    }
    TimerScheduler(clock: clock).schedule(.at(start + 10)) { log.note($0.date) }
    await clock.advance(by: .zero)
    // It is cancelled between the two wakeups.
    let (isNoted, noting) = AsyncStream.makeStream(of: Void.self)
    let task = Task {
      for await _ in isNoted { break }
      await clock.advance(by: .seconds(10))
    }
    tasks.note(task)
    noting.finish()
    await task.value
    #expect(log.entries.isEmpty)
    await clock.setWallClock(to: start)
    await clock.advance(by: .seconds(9))
    #expect(log.entries.isEmpty)
    await clock.advance(by: .seconds(1))
    #expect(log.entries == [start + 10])
  }
}
