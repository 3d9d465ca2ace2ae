import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingTesting

/// Times that a program computes from the clock: the date, an instant, and what is left of a time.
@Suite(.limited) struct RemainingTimeTests: VirtualTimeSuite {
  let time = VirtualTime()

  // FAULTS F9
  @Test(.guarantee("G155"), arguments: [-0.011, -1e-9, -1e300])
  func `A delay below zero is due now, everywhere`(rest: Double) async throws {
    let ticks = Journal<String>()
    let late = Duration.seconds(max(rest, -1e9))
    scheduler.schedule(after: rest) { _ in ticks.note("after") }
    scheduler.schedule(after: late) { _ in ticks.note("duration") }
    scheduler.schedule(.every(1, starting: .after(late)).limit(1)) { _ in ticks.note("start") }
    let timer = scheduler.schedule(after: 1000) { _ in ticks.note("rescheduled") }
    timer.reschedule(.after(rest))
    await advance(0)
    #expect(ticks.entries.sorted() == ["after", "duration", "rescheduled", "start"])
    #expect(throws: TimerScheduleError.negative(rest)) { try TimerSchedule(validatingAfter: rest) }
    #expect(throws: TimerScheduleError.self) { try TimerSchedule(validatingAfter: .nan) }
  }

  @Test(.guarantee("G155")) func `A delay that isn't a number stops the program`() async {
    await #expect(processExitsWith: .failure) { _ = TimerSchedule.after(Double.nan) }
  }

  @Test func `A scheduler tells the date of its clock`() async {
    await advance(5)
    #expect(scheduler.date == start + 5)
    await clock.setWallClock(to: start - 100)
    #expect(scheduler.date == start - 100)
    let before = Date()
    let date = TimerScheduler().date
    // A millisecond for a clock that is adjusted in between.
    #expect(date > before - 0.001)
  }

  @Test func `A sleep ends at an instant of the scheduler's clock`() async throws {
    let instant = scheduler.clock.now.advanced(by: .seconds(30))
    let end = clock.addTask { [scheduler, clock] in
      try await scheduler.sleep(until: instant)
      try await scheduler.sleep(until: instant)
      return clock.date
    }
    await advance(29)
    // The wall clock makes no difference.
    await clock.setWallClock(to: start)
    await advance(10)
    #expect(try await end.value == start + 1)
  }

  @Test(.guarantee("G100")) func `After its grace a shutdown cancels the runs, and awaits them`() async throws
  {
    let ends = Journal<String>()
    try await withVirtualClock { clock in
      let scheduler = TimerScheduler(clock: clock, configuration: .silent)
      scheduler.schedule(after: 1) { _ in
        do { try await scheduler.sleep(for: 2) } catch { ends.note("sleep ended") }
        try? await clock.sleep(for: .seconds(3600))
        ends.note("long run ended at \(clock.now.offset)")
      }
      scheduler.schedule(after: 1) { _ in
        try await clock.sleep(for: .seconds(3))
        ends.note("short run ended at \(clock.now.offset)")
      }
      try await clock.sleep(for: .seconds(2))
      await scheduler.shutdownAndWait(grace: .seconds(5))
      ends.note("shut down at \(clock.now.offset)")
    }
    #expect(
      ends.entries == [
        "sleep ended", "short run ended at 4.0 seconds", "long run ended at 7.0 seconds",
        "shut down at 7.0 seconds",
      ])
  }

  @Test(.guarantee("G100"), arguments: [Duration.zero, .seconds(-1)])
  func `A shutdown without grace cancels the runs at once`(grace: Duration) async throws {
    try await withVirtualClock { clock in
      let scheduler = TimerScheduler(clock: clock, configuration: .silent)
      scheduler.schedule(after: 1) { _ in try await clock.sleep(for: .seconds(3600)) }
      try await clock.sleep(for: .seconds(2))
      try await scheduler.run(until: {}, grace: grace)
      #expect(clock.now.offset == .seconds(2))
    }
  }

  @Test(.guarantee("G100")) func `A scheduler that runs until a signal gives the runs its grace`()
    async throws
  {
    try await withVirtualClock { clock in
      let scheduler = TimerScheduler(clock: clock, configuration: .silent)
      scheduler.schedule(after: 1) { _ in try await clock.sleep(for: .seconds(3600)) }
      try await scheduler.run(until: { try await clock.sleep(for: .seconds(2)) }, grace: .seconds(5))
      #expect(clock.now.offset == .seconds(7))
    }
  }

  @Test(.guarantee("G100")) func `A cancellation of the caller ends the grace of a shutdown`() async throws {
    try await withVirtualClock { clock in
      let scheduler = TimerScheduler(clock: clock, configuration: .silent)
      scheduler.schedule(after: 1) { _ in try await clock.sleep(for: .seconds(3600)) }
      try await clock.sleep(for: .seconds(2))
      let shutdown = Task { await scheduler.shutdownAndWait(grace: .seconds(60)) }
      try await clock.sleep(for: .seconds(1))
      shutdown.cancel()
      await shutdown.value
      #expect(clock.now.offset == .seconds(3))
    }
  }
}
