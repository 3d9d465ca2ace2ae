import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingTesting

/// A body runs where it is written: rule T8.
@Suite(.limited, .guarantee("G208")) @MainActor struct BodyPlaceTests {
  // MARK: K11

  @Test func `A body runs on the actor of its test, and changes a local variable and what isn't Sendable`()
    async throws
  {
    let model = Model()
    var offsets: [Duration] = []
    try await withVirtualClock { clock in
      MainActor.assertIsolated()
      for _ in 0..<3 {
        try await Task.sleep(for: .seconds(1))
        MainActor.assertIsolated()
        offsets.append(clock.now.offset)
        model.count += 1
      }
    }
    #expect(offsets == [.seconds(1), .seconds(2), .seconds(3)])
    #expect(model.count == 3)
  }

  @Test func `A body of a search runs on the actor of its test`() async throws {
    var count = 0
    try await exploreOrders(0..<3) { _ in
      MainActor.assertIsolated()
      async let first: Void = Task.yield()
      async let second: Void = Task.yield()
      _ = await (first, second)
      count += 1
    }
    #expect(count > 0)
  }
}

private final class Model {
  var count = 0
}
