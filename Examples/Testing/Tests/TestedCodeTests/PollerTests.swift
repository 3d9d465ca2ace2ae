import TestedCode
import Testing
import TimerSchedulingTesting

@Test func `A poll that sleeps by itself takes no time`() async throws {
  try await withVirtualClock { clock in
    var count = 0
    let answer = try await poll {
      count += 1
      return count == 100 ? "done" : nil
    }
    #expect(answer == "done")
    #expect(clock.now.offset == .seconds(198))
  }
}
