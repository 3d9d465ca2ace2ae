import Foundation
import TestSupport
import TimerScheduling
import TimerSchedulingTesting
import XCTest

/// Tests of XCTest's can use the clock as those of Swift Testing do.
///
/// Guarantees: G144
final class XCTestTests: XCTestCase {
  func testALoopGetsEveryTick() async {
    let (time, log) = (VirtualTime(), Journal<Date>())
    let ticks = time.scheduler.ticks(every: 60)
    let loop = Task {
      for await tick in ticks { log.note(tick) }
    }
    await time.clock.advance(by: .seconds(600))
    XCTAssertEqual(log.entries, (1...10).map { Date(timeIntervalSinceReferenceDate: 60 * Double($0)) })
    loop.cancel()
  }

  @MainActor
  func testTheMainActorMayWaitForTheClock() async {
    let clock = VirtualClock(settlingTimeout: .seconds(60))
    var count = 0
    TimerScheduler(clock: clock).schedule(.every(1)) { @MainActor _ in count += 1 }
    await clock.advance(by: .seconds(10))
    XCTAssertEqual(count, 10)
  }
}
