import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingTesting

/// The time at which a driver processes filed timers.
@Suite(.tags(.threads), .limited) struct FilingTests {
  @Test func `A timer that is due soon is served though the rest may wait for an hour`() async {
    let clock = DelayedDisarmClock(disarmDelay: .seconds(3600))
    let scheduler = clock.makeScheduler()
    let runs = Journal<Int>()
    scheduler.schedule(.after(36_000)) { _ in runs.note(0) }
    scheduler.executor.sync {}
    // The scheduler has just processed its timers, so it may leave these for an hour. No test waits for that.
    scheduler.schedule(.after(18_000)) { _ in runs.note(1) }
    scheduler.schedule(.after(9_000)) { _ in runs.note(2) }
    scheduler.schedule(.after(10)) { _ in runs.note(3) }
    scheduler.executor.sync {}
    await clock.manual.advance(by: .seconds(10))
    await scheduler.waitUntilActionsHaveEnded()
    #expect(runs.entries == [3])
    scheduler.shutdown()
  }

  @Test func `A deadline that has moved up is looked at`() async {
    let clock = DelayedDisarmClock(disarmDelay: .seconds(3600))
    let scheduler = clock.makeScheduler()
    let runs = Journal<Int>()
    let timer = scheduler.schedule(.after(36_000)) { _ in runs.note(0) }
    scheduler.executor.sync {}
    timer.reschedule(.after(20_000))
    timer.reschedule(.after(10))
    scheduler.executor.sync {}
    await clock.manual.advance(by: .seconds(10))
    await scheduler.waitUntilActionsHaveEnded()
    #expect(runs.entries == [0])
    scheduler.shutdown()
  }

  // A wakeup that stayed armed would hold the driver until its deadline.
  @Test func `A driver whose last timer was cancelled is released`() async {
    let (clock, releases) = (DelayedDisarmClock(disarmDelay: .milliseconds(1)), Journal<Void>())
    do {
      let scheduler = clock.makeScheduler(.init { releases.note() })
      let timer = scheduler.schedule(.after(3600)) { _ in }
      scheduler.executor.sync {}
      timer.cancel()
    }
    await releases.next()
  }
}
