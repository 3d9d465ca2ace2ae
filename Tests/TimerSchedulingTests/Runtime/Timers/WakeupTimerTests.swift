import TestSupport
import Testing
import TimerScheduling

@Suite struct WakeupTimerTests {
  private let clock = CountingClock()
  private let scheduler: TimerScheduler

  init() {
    scheduler = TimerScheduler(configuration: .init(), clock: clock, jitterSeed: 1)
  }

  @Test func `A wakeup is armed only for a moment before the armed one`() async {
    let first = scheduler.schedule(.after(3)) { _ in }
    await scheduler.waitForQueue()
    #expect(clock.armCount == 1)

    await scheduler.driver.runPass()
    #expect(clock.armCount == 1)

    scheduler.schedule(.after(5)) { _ in }
    first.cancel()
    await scheduler.driver.runPass()
    #expect(clock.armCount == 1)

    scheduler.schedule(.after(1)) { _ in }
    await scheduler.waitForQueue()
    #expect(clock.armCount == 2)
    scheduler.shutdown()
  }
}
