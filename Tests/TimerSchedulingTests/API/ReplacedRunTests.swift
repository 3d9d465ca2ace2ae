import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingTesting

/// The runs of a timer that another one replaces. The article Recipes says what that means for a debouncer.
@Suite(.limited, .guarantee("G143")) struct ReplacedRunTests: VirtualTimeSuite {
  let time = VirtualTime()
  /// A line for each call, with the seconds at which it came.
  private let log = Journal<String>()

  private func note(_ text: String) { log.note("\(clock.now.offset / .seconds(1)) \(text)") }

  // FAULTS F6
  @Test func `A debouncer's action that ignores its cancellation runs beside the next one`() async throws {
    let debouncer = Debouncer<String>(after: .seconds(2), on: scheduler) { value in
      note("\(value) begins")
      let duration: Duration = value == "a" ? .seconds(10) : .seconds(1)
      // A task of its own isn't cancelled with the action.
      let request = Task { _ = try? await scheduler.sleep(for: duration) }
      await request.value
      note("\(value) ends\(Task.isCancelled ? ", cancelled" : "")")
    }
    let keys = clock.addTask {
      await debouncer.send("a")
      try await scheduler.sleep(for: .seconds(3))
      await debouncer.send("b")
      try await scheduler.sleep(for: .seconds(60))
    }
    await clock.advance(by: .seconds(100))
    try await keys.value
    #expect(log.entries == ["2.0 a begins", "5.0 b begins", "6.0 b ends", "12.0 a ends, cancelled"])
  }
}
