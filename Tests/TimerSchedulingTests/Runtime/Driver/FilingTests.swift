import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingTesting

@Suite(.tags(.threads), .limited) struct FilingTests {
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
