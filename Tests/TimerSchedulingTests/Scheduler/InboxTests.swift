import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingTesting

/// When a scheduler looks at what was posted.
@Suite(.tags(.threads), .timeLimit(.minutes(30))) struct InboxTests {
  @Test func `What is due soon is looked at though the rest may wait for an hour`() async {
    let clock = PatientClock(patience: .seconds(3600))
    let scheduler = clock.makeScheduler()
    let runs = Journal<Int>()
    scheduler.schedule(.after(36_000)) { _ in runs.note(0) }
    scheduler.executor.sync {}
    // The scheduler has just looked, so that it is to look at these in an hour. That it is, no test need wait for.
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
    let clock = PatientClock(patience: .seconds(3600))
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

  // What is lost keeps its timer, and so the scheduler.
  @Test func `A scheduler that was called for what it had seen already looks at the next`() async {
    let clock = PatientClock(patience: .milliseconds(1))
    weak var released: TimerScheduler?
    do {
      let scheduler = clock.makeScheduler()
      released = scheduler
      let timers = (0..<2).map { _ in scheduler.schedule(.after(3600)) { _ in } }
      #expect(await scheduler.timerCount == 2)
      // It looks after the record was put down, and before it is called to look.
      clock.interruptNextReading {
        scheduler.executor.sync { scheduler.assumeIsolated { $0.lookAtPosted() } }
      }
      timers[0].cancel()
      // It is called, and finds nothing.
      await withCheckedContinuation { continuation in
        scheduler.executor.async(after: Interval(.milliseconds(20))) { continuation.resume() }
      }
      timers[1].cancel()
    }
    #expect(await isReleased { released })
  }
}
