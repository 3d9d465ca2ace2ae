import TestedCode
import Testing
import TimerSchedulingTesting

@Test func `Retries wait for one, two and four seconds`() async throws {
  struct Failure: Error {}
  let clock = VirtualClock()
  let start = clock.now
  let attempts = clock.addTask {
    var moments: [Duration] = []
    return try await retry(attempts: 5, firstDelay: .seconds(1), clock: clock) {
      moments.append(start.duration(to: clock.now))
      if moments.count < 4 { throw Failure() }
      return moments
    }
  }
  await clock.advance(by: .seconds(60))
  #expect(try await attempts.value == [.zero, .seconds(1), .seconds(3), .seconds(7)])
}
