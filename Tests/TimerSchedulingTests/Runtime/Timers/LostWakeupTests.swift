import Dispatch
import Foundation
import TestSupport
import Testing
import TimerScheduling

/// Threads that file a timer while a pass comes to its end.
@Suite(.tags(.threads), .limited, .guarantee("G111")) struct LostWakeupTests {
  // Fails where a pass doesn't publish the first deadlines, or doesn't read them again after it has said when
  // it wakes.
  @Test func `A timer that is filed as a pass ends is fired`() {
    let scheduler = TimerScheduler()
    let far = scheduler.timer(on: .after(.seconds(3600)))
    for round in 0..<rounds(10_000) {
      let timer = scheduler.timer(on: .after(.nanoseconds(round % 7 * 500)))
      // The pass that fires it comes to its end while the next round begins.
      guard scheduler.driver.waitUntilFiled(atMost: 1) else {
        Issue.record("The timer of round \(round) wasn't fired within 20 s.")
        break
      }
      withExtendedLifetime(timer) {}
    }
    withExtendedLifetime(far) {}
  }

  @Test func `Of many falling deadlines only one wakes a driver that is busy`() async {
    let scheduler = TimerScheduler()
    let latch = DispatchSemaphore(value: 0)
    scheduler.executor.async { latch.wait() }
    let timers = (0..<3_000).map { scheduler.timer(on: .after(.milliseconds(3_600_000 - $0))) }
    latch.signal()
    #expect(await scheduler.filedCount == timers.count)
    #expect(await scheduler.driver.passCount == 1)
    withExtendedLifetime(timers) {}
  }
}

nonisolated extension TimerDriver {
  /// Waits until at most this many deadlines are filed. Returns false if that takes 20 s.
  fileprivate func waitUntilFiled(atMost count: Int) -> Bool {
    let start = ContinuousClock.now
    var lookCount = 0
    while counts.filed > count {
      lookCount += 1
      // Spins at first without yielding the processor, so that the next round begins while the pass ends.
      guard lookCount > 1_000 else { continue }
      sched_yield()
      if ContinuousClock.now - start > .seconds(20) { return false }
    }
    return true
  }
}
