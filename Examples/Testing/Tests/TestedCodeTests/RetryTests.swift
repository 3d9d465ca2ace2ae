import TestedCode
import Testing
import TimerSchedulingTesting

@Test func `Retries wait for one, two and four seconds`() async throws {
  struct Failure: Error {}
  try await withVirtualClock { clock in
    var moments: [Duration] = []
    try await retry(attempts: 5, firstDelay: .seconds(1), clock: clock) {
      moments.append(clock.now.offset)
      if moments.count < 4 { throw Failure() }
    }
    #expect(moments == [.zero, .seconds(1), .seconds(3), .seconds(7)])
  }
}
