import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingTesting

/// Sleeping on a scheduler's time.
@Suite(.limited, .guarantee("G10")) struct SleepTests: VirtualTimeSuite {
  let time = VirtualTime()

  @Test func `A task sleeps for exactly as long as it says`() async throws {
    let task = clock.addTask { [clock, scheduler] in
      var dates: [Date] = []
      for duration in [Duration.seconds(1), .milliseconds(1), .zero, .seconds(-1), .seconds(2)] {
        try await scheduler.sleep(for: duration)
        dates.append(clock.date)
      }
      return dates
    }
    await clock.advance(by: .seconds(10))
    #expect(try await task.value == [1, 1.001, 1.001, 1.001, 3.001].map { start + $0 })
    #expect(await scheduler.timerCount == 0)
  }

  @Test func `A sleep until a date follows the wall clock`() async throws {
    let task = clock.addTask { [scheduler, start] in
      try await scheduler.sleep(until: start + 100)
      try await scheduler.sleep(until: start + 50)
    }
    await clock.advance(by: .seconds(1))
    await clock.setWallClock(to: start + 99)
    await clock.advance(by: .milliseconds(999))
    #expect(clock.date < start + 100)
    #expect(await scheduler.filedCount == 1)
    await clock.advance(by: .milliseconds(1))
    try await task.value
    #expect(clock.date == start + 100)
  }

  // FAULTS F1
  @Test(arguments: [[-3_600.0], [-50, -86_400, -0.5], [-86_400, 86_300]])
  func `A sleep until a date lasts until the wall clock shows it, however often that is set back`(
    steps: [Double]
  ) async throws {
    let task = clock.addTask { [clock, scheduler, start] in
      try await scheduler.sleep(until: start + 100)
      return clock.now.offset
    }
    for step in steps {
      await advance(10)
      await clock.setWallClock(to: clock.date + step)
    }
    await clock.advance(to: start + 99.999)
    #expect(await scheduler.filedCount == 1)
    await clock.advance(to: start + 100)
    #expect(await scheduler.filedCount == 0)
    let duration = Duration.seconds(100 - steps.reduce(0, +))
    #expect(try await task.value == duration)
  }

  @Test func `Sleeps whose tolerances overlap share a moment`() async throws {
    let tasks = [1, 2, 3].map { seconds in
      clock.addTask { [clock, scheduler] in
        try await scheduler.sleep(for: .seconds(seconds), tolerance: .seconds(3 - seconds))
        return clock.date
      }
    }
    await clock.advance(by: .seconds(10))
    for task in tasks { #expect(try await task.value == start + 3) }
  }

  @Test func `A task that is cancelled sleeps no longer, and its sleep is freed`() async {
    let task = Task { [scheduler] in try await scheduler.sleep(for: .seconds(1000)) }
    await clock.waitForSleepers()
    #expect(await scheduler.filedCount == 1)
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(scheduler.entryCount == 0)
    // A sleep that was cancelled before it begins isn't filed.
    let other = Task { [scheduler] in
      unsafe withUnsafeCurrentTask { task in unsafe task?.cancel() }
      try await scheduler.sleep(for: .zero)
    }
    await #expect(throws: CancellationError.self) { try await other.value }
  }

  @Test func `A sleep beyond the clock's range is over only when its task is cancelled`() async {
    let task = Task { [scheduler] in try await scheduler.sleep(for: .seconds(Int64.max)) }
    await clock.waitForSleepers()
    await clock.advance(by: .seconds(1e9))
    #expect(scheduler.entryCount == 1)
    #expect(await scheduler.filedCount == 0)
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test func `The sleep ends with its scheduler`() async {
    let task = Task { [scheduler] in try await scheduler.sleep(for: .seconds(10)) }
    await clock.waitForSleepers()
    scheduler.shutdown()
    await #expect(throws: CancellationError.self) { try await task.value }
    await #expect(throws: CancellationError.self) { try await scheduler.sleep(for: Duration.zero) }
  }

  @Test func `The clock shows the scheduler's time`() async throws {
    let timer = scheduler.clock
    let begin = timer.now
    await clock.advance(by: .milliseconds(1_500))
    #expect(begin.duration(to: timer.now) == .milliseconds(1_500))
    #expect(begin < timer.now)
    #expect(begin.advanced(by: .milliseconds(1_500)) == timer.now)
    await clock.setWallClock(to: start + 1_000)
    #expect(begin.duration(to: timer.now) == .milliseconds(1_500))
    #expect(TimerClock.Instant(offset: begin.offset) == begin)
  }

  @Test func `Code that takes a clock sleeps on the scheduler's time`() async throws {
    @Sendable func poll(_ count: Int, on clock: some Clock<Duration>) async throws {
      for _ in 0..<count { try await Task.sleep(for: .seconds(60), clock: clock) }
    }
    let task = clock.addTask { [clock, scheduler] in
      try await poll(10, on: scheduler.clock)
      return clock.date
    }
    await clock.advance(by: .seconds(1_000))
    #expect(try await task.value == start + 600)
  }

  @Test(.tags(.realClock)) func `A sleep in real time is no shorter than it says`() async throws {
    let scheduler = TimerScheduler()
    let begin = scheduler.clock.now
    try await scheduler.sleep(for: .milliseconds(5))
    try await Task.sleep(for: .milliseconds(5), clock: scheduler.clock)
    #expect(begin.duration(to: scheduler.clock.now) >= .milliseconds(10))
  }
}
