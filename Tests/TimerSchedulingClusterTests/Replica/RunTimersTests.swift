import Dispatch
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingCluster

@Suite(.limited) struct RunTimersTests {
  @Test func `Timers that end because their state is read are released outside the lock`() {
    let scheduler = TimerScheduler()
    let timers = RunTimers(limit: 1, in: nil)
    timers.begin(timer(of: scheduler) { _ = timers.room })
    #expect(timers.add(1))
    timers.set(timer(of: scheduler) { timers.forget(1) }, of: 1)
    let blockade = DispatchSemaphore(value: 0)
    // From here on, only a call ends a timer.
    scheduler.executor.queue.async { @Sendable in blockade.wait() }
    scheduler.shutdown()
    timers.releasePaused()
    #expect(timers.room == 0 && !timers.add(2) && timers.waitingCount == 0)
    blockade.signal()
  }

  private func timer(
    of scheduler: TimerScheduler, onRelease: @escaping @Sendable () -> Void
  ) -> ScheduledTimer {
    let captured = ReleaseProbe(onRelease)
    return scheduler.schedule(.after(.seconds(3600))) { _ in withExtendedLifetime(captured) {} }
  }
}
