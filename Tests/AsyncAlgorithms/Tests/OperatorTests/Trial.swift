import Testing
import TimerScheduling
import TimerSchedulingTesting

/// A clock, a scheduler, and sequences whose elements come at given moments.
struct Trial {
  /// The real time that a consumer costs which the clock stops waiting for.
  private static let settlingTimeout = Duration.seconds(60)

  let clock: VirtualClock
  let scheduler: TimerScheduler

  init() {
    clock = VirtualClock(settlingTimeout: Self.settlingTimeout)
    scheduler = TimerScheduler(clock: clock)
  }

  func clock(_ time: Time) -> any Clock<Duration> {
    switch time {
    case .ofTheTest: clock
    case .ofTheScheduler: scheduler.clock
    }
  }

  /// A sequence of 1, 2, 3 and so on, at these seconds. It has no end.
  func source(at seconds: Int...) -> AsyncStream<Int> {
    let (stream, elements) = AsyncStream.makeStream(of: Int.self)
    clock.addTask { [clock] in
      for (index, second) in seconds.enumerated() {
        try await clock.sleep(until: .init(offset: .seconds(second)))
        elements.yield(index + 1)
      }
    }
    return stream
  }

  /// Expects the elements that a sequence gives until a moment, with their times.
  func expect<Elements: AsyncSequence<String, Never> & Sendable>(
    _ expected: [String], until end: Int = 26, of makeElements: (Trial) -> Elements
  ) async {
    let elements = makeElements(self)
    let start = ContinuousClock.now
    let task = clock.addTask { [clock] in
      var found: [String] = []
      for await element in elements {
        found.append("\(element) at \(clock.now.offset.components.seconds)")
        if found.count == expected.count { break }
      }
      return found
    }
    await clock.advance(by: .seconds(end))
    task.cancel()
    #expect(await (try? task.value) == expected)
    #expect(ContinuousClock.now - start < Self.settlingTimeout)
  }
}

/// The clock that an operator receives.
enum Time: CaseIterable { case ofTheTest, ofTheScheduler }
