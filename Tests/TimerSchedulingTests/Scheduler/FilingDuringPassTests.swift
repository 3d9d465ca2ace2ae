import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingTesting

/// Threads that file timers which are already due, while time stands still.
@Suite(.tags(.threads), .limited) struct FilingDuringPassTests {
  // Fails if a pass asks for a later wakeup for timers that were filed after it visited their shards.
  @Test func `A timer that is filed during a pass and due by now is fired`() async {
    let clock = VirtualClock.manual()
    let scheduler = clock.makeScheduler()
    for round in 0..<rounds(5_000) {
      let timers = (0..<3).map { _ in scheduler.schedule(.after(.zero)) { _ in } }
      await clock.advance(by: .zero)
      await scheduler.waitUntilActionsHaveEnded()
      #expect(timers.allSatisfy { $0.state == .finished(.completed) }, "round \(round)")
    }
  }
}
