import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingTesting

/// A clock that isn't moved.
@Suite(.limited, .guarantee("G136", "G139")) struct StandstillTests: VirtualTimeSuite {
  let time = VirtualTime()

  @Test func `A timer that is due at once ticks in the next move, even one of no distance`() async {
    let log = Journal<Int>()
    let schedules = [TimerSchedule.after(.zero), .every(1, starting: .immediately), .at(start - 1)]
    for (number, schedule) in schedules.enumerated() {
      scheduler.schedule(schedule) { _ in log.note(number) }
    }
    // Behind all that is posted to the scheduler's queue.
    _ = await scheduler.filedCount
    await scheduler.waitUntilActionsHaveEnded()
    #expect(log.entries.isEmpty)
    #expect(await scheduler.timerCount == 3)
    await clock.advance(by: .zero)
    #expect(log.entries.sorted() == [0, 1, 2])
    #expect(clock.now.offset == .zero)
  }

  @Test func `An advance to a date that has passed delivers what is due by now`() async {
    let log = Journal<Duration>()
    await clock.advance(by: .seconds(5))
    scheduler.schedule(.after(.zero)) { [clock] _ in log.note(clock.now.offset) }
    await clock.advance(to: start + 1)
    #expect(log.entries == [.seconds(5)])
    #expect(clock.date == start + 5)
  }

  @Test func `A timer that an action makes is due in the same move`() async {
    let log = Journal<Duration>()
    scheduler.schedule(.after(1)) { [clock, scheduler] _ in
      scheduler.schedule(.after(.zero)) { _ in log.note(clock.now.offset) }
    }
    await clock.advance(by: .seconds(2))
    #expect(log.entries == [.seconds(1)])
  }

  @Test func `Ticks by hand, pauses and the shutdown need no move`() async {
    let timer = scheduler.timer(on: .every(60))
    var ticks = timer.firings.makeAsyncIterator()
    timer.fire()
    #expect(await ticks.next()?.index == 0)
    timer.pause()
    timer.resume(.immediately)
    #expect(await ticks.next()?.index == 1)
    var values = scheduler.countdown(from: .seconds(3)).values.makeAsyncIterator()
    #expect(await values.next() == .seconds(3))
    await scheduler.pauseAll()
    #expect(timer.state == .paused)
    scheduler.shutdown()
    #expect(timer.state == .finished(.schedulerShutDown))
    #expect(await ticks.next() == nil)
  }

  @Test func `A sleep that is due and a limit of zero need no move`() async throws {
    try await scheduler.sleep(for: Duration.zero)
    try await scheduler.sleep(for: .seconds(-1))
    try await scheduler.sleep(until: start)
    try await Task.sleep(until: scheduler.clock.now, clock: scheduler.clock)
    await #expect(throws: TimeoutError(limit: .zero)) {
      try await withTimeout(.zero, on: scheduler) { try await scheduler.sleep(for: .seconds(1)) }
    }
    #expect(await scheduler.timerCount == 0)
  }

  @Test func `Tasks that sleep on the clock and on its schedulers are sleepers, no others`() async throws {
    let failures = Journal<String>()
    let clock = VirtualClock(settlingTimeout: .seconds(1), report: { _ in }, fail: failures.note)
    let scheduler = TimerScheduler(clock: clock)
    let (gate, opening) = AsyncStream.makeStream(of: Void.self)
    let timer = scheduler.timer(on: .after(60))
    let others = [
      clock.addTask { for await _ in scheduler.ticks(every: 60) {} },
      clock.addTask { _ = await timer.waitUntilFinished() },
      clock.addTask { _ = try? await withTimeout(.seconds(60), on: scheduler) { for await _ in gate {} } },
    ]
    // The loop and the limit.
    await clock.waitForConsumers(2)
    let sleepers = [
      clock.addTask { try await scheduler.sleep(for: .seconds(1)) },
      clock.addTask { try await Task.sleep(for: .seconds(1), clock: scheduler.clock) },
      clock.addTask { try await clock.sleep(for: .seconds(1)) },
    ]
    await clock.waitForSleepers(3)
    await clock.waitForSleepers(4, limit: .milliseconds(1))
    let advice = "Wait for fewer, or start more."
    #expect(failures.entries == ["VirtualClock: The test waits for 4 sleepers, and 3 were found. \(advice)"])
    await clock.advance(by: .seconds(1))
    for sleeper in sleepers { try await sleeper.value }
    await clock.waitForSleepers(1, limit: .milliseconds(1))
    let last = failures.entries.last
    #expect(last == "VirtualClock: The test waits for 1 sleepers, and 0 were found. \(advice)")
    opening.finish()
    timer.cancel()
    for other in others { other.cancel() }
    for other in others { await other.value }
  }

  @Test func `A task that asks for a tick during a move that doesn't wait for it gets the tick`() async {
    let clock = VirtualClock.manual()
    let timer = clock.makeScheduler().timer(on: .every(1))
    for index in 0..<rounds(10_000) {
      // Without a listener, the timer waits for the next task that asks.
      await clock.advance(by: .seconds(1))
      let firings = timer.firings
      let task = Task { await firings.first { _ in true }?.index }
      // Meets the task at another point of its way in each round.
      for _ in 0..<index % 100 { _ = clock.date }
      await clock.advance(by: .seconds(1))
      #expect(await task.value == index)
    }
  }
}
