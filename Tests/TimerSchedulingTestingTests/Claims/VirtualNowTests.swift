import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingTesting

/// What Swift's clocks and Foundation show as now in a body: rule T1.
@Suite(.limited, .guarantee("G201")) struct VirtualNowTests {
  // MARK: K2

  @Test func `A loop that keeps its deadline by now ticks at each interval`() async throws {
    try await withVirtualClock { clock in
      var (offsets, next, other) = ([Duration](), ContinuousClock.now, SuspendingClock.now)
      for _ in 0..<3 {
        next += .seconds(60)
        other += .seconds(60)
        try await Task.sleep(until: next, clock: .continuous)
        offsets.append(clock.now.offset)
        try await Task.sleep(until: other + .seconds(1), clock: .suspending)
        offsets.append(clock.now.offset)
      }
      #expect(offsets == [60, 61, 120, 121, 180, 181].map { .seconds($0) })
    }
  }

  @Test func `A loop until a deadline asks as often as in real time`() async throws {
    try await withVirtualClock(limit: .seconds(20)) { clock in
      let (start, asks) = (ContinuousClock.now, Counter())
      while ContinuousClock.now < start + .seconds(10) {
        asks.add()
        try await Task.sleep(for: .seconds(1))
      }
      #expect(asks.value == 10)
      #expect(clock.now.offset == .seconds(10))
    }
  }

  @Test func `What a body measures is its own time`() async throws {
    try await withVirtualClock { clock in
      let sleep = try await ContinuousClock().measure { try await Task.sleep(for: .seconds(5)) }
      #expect(sleep == .seconds(5))
      let sleepOfClock = try await SuspendingClock().measure { try await clock.sleep(for: .seconds(7)) }
      #expect(sleepOfClock == .seconds(7))
      let scheduler = TimerScheduler(clock: clock)
      let loop = await ContinuousClock().measure {
        for await _ in scheduler.ticks(every: 0.001, limit: 3) {}
      }
      #expect(loop == .milliseconds(3))
      #expect(await ContinuousClock().measure { await clock.advance(by: 100) } == .seconds(100))
      #expect(await SuspendingClock().measure { await clock.stall(for: .seconds(9)) } == .seconds(9))
      #expect(ContinuousClock().measure { compute(for: .milliseconds(2)) } == .zero)
    }
  }

  @Test func `A cache that expires by the date expires`() async throws {
    struct Cache {
      var expiry: Date
      var isFresh: Bool { expiry > Date.now && expiry.timeIntervalSinceNow > 0 }
    }
    try await withVirtualClock { clock in
      let cache = Cache(expiry: Date(timeIntervalSinceNow: 60))
      try await Task.sleep(for: .seconds(59))
      #expect(cache.isFresh)
      try await Task.sleep(for: .seconds(1))
      #expect(!cache.isFresh)
    }
  }

  @Test func `The date is that of the clock, also for Foundation's own questions, and can be set`()
    async throws
  {
    let start = Date(timeIntervalSinceReferenceDate: 900_000_000)
    try await withVirtualClock(date: start) { clock in
      #expect(Date() == start)
      #expect(Date.now == clock.date)
      var calendar = Calendar(identifier: .gregorian)
      calendar.timeZone = .gmt
      #expect(calendar.isDateInToday(start))
      try await Task.sleep(for: .seconds(86_400))
      #expect(Date() == start + 86_400)
      #expect(calendar.isDateInYesterday(start))
      await clock.setWallClock(to: start - 1_000)
      #expect(Date() == start - 1_000)
      let now = ContinuousClock.now
      await clock.setWallClock(to: start)
      #expect(ContinuousClock.now == now)
    }
  }

  @Test func `Swift's clocks go on from their real values`() async throws {
    let (continuous, suspending) = (ContinuousClock.now, SuspendingClock.now)
    try await withVirtualClock { clock in
      let (before, after) = (continuous.duration(to: .now), suspending.duration(to: .now))
      // Other tests keep the processors busy meanwhile.
      #expect(before >= .zero && before < .seconds(3_600))
      #expect(after >= .zero && after < .seconds(3_600))
      try await Task.sleep(for: .seconds(7_200))
      #expect(continuous.duration(to: .now) == before + .seconds(7_200))
    }
  }

  @Test(arguments: Birth.allCases)
  func `All that a body makes sees its time`(birth: Birth) async throws {
    try await withVirtualClock { clock in
      let (start, other) = (ContinuousClock.now, SuspendingClock.now)
      await birth.run(on: clock) {
        #expect(Date() == clock.date)
        #expect(start.duration(to: .now) == .zero)
        try? await clock.sleep(for: .seconds(90))
        #expect(Date.now == clock.date)
        #expect(start.duration(to: .now) == .seconds(90))
        #expect(other.duration(to: .now) == .seconds(90))
      }
    }
  }

  @Test func `Two bodies side by side have a time each`() async throws {
    @Sendable func run(_ step: Int) async throws {
      try await withVirtualClock { clock in
        let start = ContinuousClock.now
        for round in 1...100 {
          try await Task.sleep(for: .seconds(step))
          #expect(start.duration(to: .now) == .seconds(step * round))
          #expect(Date() == clock.date)
        }
      }
    }
    async let first: Void = run(1)
    async let second: Void = run(1_000)
    _ = try await (first, second)
  }

  @Test func `Tasks and threads that aren't of the body see real time`() async throws {
    let (before, recent) = (ContinuousClock.now, Date(timeIntervalSinceReferenceDate: 750_000_000))
    let (asks, ask) = AsyncStream.makeStream(of: Void.self)
    let stranger = Task.detached {
      for await _ in asks {}
      return (ContinuousClock.now, Date())
    }
    let distance = Duration.seconds(1_000_000)
    let clock = try await withVirtualClock { clock in
      try await Task.sleep(for: distance)
      ask.finish()
      let (now, date) = await stranger.value
      #expect(before.duration(to: now) < distance)
      #expect(date > recent)
      let (ofThread, ofQueue) = await (
        withCheckedContinuation { done in Thread.detachNewThread { done.resume(returning: Date()) } },
        withCheckedContinuation { done in DispatchQueue.global().async { done.resume(returning: Date()) } }
      )
      #expect(ofThread > recent)
      #expect(ofQueue > recent)
      #expect(Date() < recent)
      return clock
    }
    #expect(before.duration(to: .now) < distance)
    #expect(Date() > recent)
    #expect(clock.date < recent)
  }

  @Test func `Each order of a search has a time of its own`() async throws {
    try await exploreOrders(0..<20) { _ in
      let start = ContinuousClock.now
      try await withThrowingTaskGroup { group in
        for seconds in 1...3 { group.addTask { try await Task.sleep(for: .seconds(seconds)) } }
        try await group.waitForAll()
      }
      try #require(start.duration(to: .now) == .seconds(3))
      try #require(Date() == Date(timeIntervalSinceReferenceDate: 3))
    }
  }
}
