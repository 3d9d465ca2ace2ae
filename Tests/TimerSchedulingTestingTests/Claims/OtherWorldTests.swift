import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingTesting

/// Waits for the time of another world, which hold one's own: rule T5.
@Suite(.limited, .guarantee("G205")) struct OtherWorldTests {
  // MARK: K4

  @Test func `A body in a body holds the time of the outer one, however much it computes`() async throws {
    try await withVirtualClock { outer in
      let (scheduler, ticks) = (TimerScheduler(clock: outer), Counter())
      scheduler.schedule(every: 1) { _ in ticks.add() }
      let loop = Task { for await _ in scheduler.ticks(every: 1) {} }
      for length in [0, 150] {
        try await withVirtualClock { inner in
          compute(for: .milliseconds(length))
          try await Task.sleep(for: .seconds(1))
          #expect(inner.now.offset == .seconds(1))
        }
        #expect(outer.now.offset == .zero)
        #expect(ticks.value == 0)
      }
      try await Task.sleep(for: .seconds(2))
      #expect(outer.now.offset == .seconds(2))
      loop.cancel()
    }
  }

  @Test func `Bodies in child tasks of a body hold its time, and end`() async throws {
    try await withVirtualClock { outer in
      let scheduler = TimerScheduler(clock: outer)
      scheduler.schedule(every: 1) { _ in }
      try await withThrowingTaskGroup { group in
        for seconds in 1...5 {
          group.addTask {
            try await withVirtualClock { inner in
              // A wait for something outside holds the outer time for 50 ms.
              if seconds == 1 { compute(for: .milliseconds(150)) }
              for _ in 0..<100 { try await Task.sleep(for: .seconds(seconds)) }
              return inner.now.offset
            }
          }
        }
        let offsets = try await group.reduce(into: [Duration]()) { $0.append($1) }
        #expect(offsets.sorted() == (1...5).map { .seconds(100 * $0) })
      }
      #expect(outer.now.offset == .zero)
    }
  }

  // MARK: K23

  @Test func `A move of another world's clock holds the time of a body`() async throws {
    // As a suite's clock: made outside of the body.
    let (clock, fired) = (VirtualClock(), Counter())
    let scheduler = TimerScheduler(clock: clock)
    scheduler.schedule(every: 0.01) { _ in fired.add() }
    for round in 1...5 {
      try await withVirtualClock { own in
        TimerScheduler(clock: own).schedule(every: 1) { _ in }
        let loop = Task { for await _ in TimerScheduler(clock: own).ticks(every: 1) {} }
        await clock.advance(by: 2)
        #expect(own.now.offset == .zero)
        loop.cancel()
      }
      #expect(fired.value == 200 * round)
    }
  }
}
