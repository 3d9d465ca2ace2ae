import TestedCode
import Testing
import TimerScheduling
import TimerSchedulingTesting

@Test func `The headlines are loaded every half minute`() async throws {
  try await withVirtualClock { @MainActor clock in
    let loads = Counter()
    let headlines = Headlines(on: TimerScheduler(clock: clock)) { ["load \(await loads.increment())"] }
    for minute in 1...60 {
      await clock.advance(by: 60)
      #expect(headlines.lines == ["load \(2 * minute)"])
    }
  }
}
