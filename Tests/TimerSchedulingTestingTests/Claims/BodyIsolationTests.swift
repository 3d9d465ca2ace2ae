import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingTesting

/// Where a body runs, and what it may capture: rule T8.
@Suite(.limited, .guarantee("G208")) struct BodyIsolationTests {
  // MARK: K11

  @Test @MainActor func `A body of the main actor's code runs on the main actor`() async throws {
    let model = Model()
    try await withVirtualClock { clock in
      MainActor.assertIsolated()
      model.start(on: TimerScheduler(clock: clock))
      try await Task.sleep(for: .seconds(3))
      MainActor.assertIsolated()
      #expect(model.count == 3)
    }
    #expect(model.count == 3)
  }

  @Test @MainActor func `An order of the main actor's code runs on the main actor`() async throws {
    try await exploreOrders(0..<10) { clock in
      let model = Model()
      model.start(on: TimerScheduler(clock: clock))
      try await Task.sleep(for: .seconds(3.5))
      try #require(model.count == 3)
    }
  }

  @Test func `A body in an actor's method runs on the actor`() async throws {
    #expect(try await Cache().refreshCount(in: 10) == 10)
  }

  @Test func `A body may capture a local variable of the test, and an object that isn't Sendable`()
    async throws
  {
    var offsets: [Duration] = []
    let list = List()
    let end = try await withVirtualClock { clock in
      for _ in 0..<3 {
        try await Task.sleep(for: .seconds(1))
        offsets.append(clock.now.offset)
        list.entries.append("\(clock.now.offset)")
      }
      return offsets.count + list.entries.count
    }
    #expect(end == 6)
  }

  @Test func `A body on no actor runs on none`() async throws {
    try await withVirtualClock { _ in
      #expect(#isolation == nil)
      #expect(!isOnMainQueue())
    }
  }
}

@MainActor private final class Model {
  private(set) var count = 0

  func start(on scheduler: TimerScheduler) {
    scheduler.schedule(every: 1, owner: self) { model, _ in model.count += 1 }
  }
}

private actor Cache {
  private var count = 0

  func refreshCount(in seconds: Int) async throws -> Int {
    try await withVirtualClock { clock in
      self.assertIsolated()
      TimerScheduler(clock: clock).schedule(every: 1, owner: self) { cache, _ in cache.count += 1 }
      try await Task.sleep(for: .seconds(seconds))
      self.assertIsolated()
    }
    return count
  }
}

private final class List {
  var entries: [String] = []
}
