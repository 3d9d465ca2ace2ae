import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingTesting

/// The programs of the article Recipes under virtual time, to the nanosecond.
@Suite(.limited, .guarantee("G143")) struct RecipeTests: VirtualTimeSuite {
  let time = VirtualTime()
  /// A line for each call, with the seconds at which it came.
  private let log = Journal<String>()

  private struct Failure: Error {}

  private func note(_ text: String) { log.note("\(clock.now.offset / .seconds(1)) \(text)") }

  /// Runs a program in a task that the clock knows, for ten minutes.
  private func run<R: Sendable>(_ program: @escaping @Sendable () async throws -> R) async throws -> R {
    let task = clock.addTask { try await program() }
    await clock.advance(by: .seconds(600))
    return try await task.value
  }

  @Test func `A debouncer works after each pause, and acts once for a burst`() async throws {
    let debouncer = Debouncer<String>(after: .seconds(2), on: scheduler) { note($0) }
    try await run {
      for value in ["a", "b", "c"] {
        await debouncer.send(value)
        try await scheduler.sleep(for: .seconds(5))
      }
      for value in ["d", "e", "f"] {
        await debouncer.send(value)
        try await scheduler.sleep(for: .seconds(1))
      }
    }
    #expect(log.entries == ["2.0 a", "7.0 b", "12.0 c", "19.0 f"])
  }

  @Test func `A value that comes during a debouncer's action cancels the action`() async throws {
    let debouncer = Debouncer<String>(after: .seconds(2), on: scheduler) {
      note($0)
      try? await scheduler.sleep(for: .seconds(5))
      note("end of \($0)")
    }
    try await run {
      await debouncer.send("a")
      try await scheduler.sleep(for: .seconds(3))
      await debouncer.send("b")
      try await scheduler.sleep(for: .seconds(60))
    }
    #expect(log.entries == ["2.0 a", "3.0 end of a", "5.0 b", "10.0 end of b"])
  }

  @Test func `A throttle passes on the first value and the newest of each interval`() async throws {
    let throttle = Throttle<Int>(every: .seconds(10), on: scheduler) { note("\($0)") }
    try await run {
      for value in 0..<15 {
        await throttle.send(value)
        try await scheduler.sleep(for: .seconds(1.5))
      }
      try await scheduler.sleep(for: .seconds(77.5))
      await throttle.send(15)
    }
    #expect(log.entries == ["0.0 0", "10.0 6", "20.0 13", "30.0 14", "100.0 15"])
  }

  @Test(.guarantee("G22"), arguments: SeededGenerator.seeds(1, 2, 3))
  func `A throttle passes on no two values closer than its interval less five milliseconds`(
    seed: UInt64
  ) async throws {
    print("Throttle: TIMER_SEED=\(seed)")
    let moments = Journal<Duration>()
    let throttle = Throttle<Int>(every: .seconds(10), on: scheduler) { value in
      moments.note(clock.now.offset)
      // From a millisecond to two intervals.
      try? await scheduler.sleep(for: .milliseconds(value))
    }
    try await run {
      var generator = SeededGenerator(seed: seed)
      for _ in 0..<60 {
        await throttle.send(Int.random(in: 1...20_000, using: &generator))
        try await scheduler.sleep(for: .milliseconds(Int.random(in: 1...12_000, using: &generator)))
      }
    }
    let gaps = zip(moments.entries, moments.entries.dropFirst()).map { $1 - $0 }
    #expect(gaps.count > 15)
    #expect(gaps.allSatisfy { $0 >= .seconds(10) - .milliseconds(5) }, "\(gaps)")
  }

  @Test func `A rate limiter lets a burst through, and then one caller in each interval`() async throws {
    let limiter = RateLimiter(every: .seconds(10), burst: 2, on: scheduler)
    try await run {
      for caller in 0..<4 {
        try await limiter.waitForTurn()
        note("\(caller)")
      }
    }
    #expect(log.entries == ["0.0 0", "0.0 1", "10.0 2", "20.0 3"])
  }

  @Test func `An idle timeout comes a limit after the last use`() async throws {
    let timeout = await IdleTimeout(after: .seconds(60), on: scheduler) { note("idle") }
    try await run {
      try await scheduler.sleep(for: .seconds(40))
      #expect(await timeout.use())
    }
    #expect(log.entries == ["100.0 idle"])
    #expect(await !timeout.use())
  }

  @Test func `An idle timeout that is over doesn't begin anew`() async throws {
    let timeout = await IdleTimeout(after: .seconds(60), on: scheduler) {
      note("idle")
      try? await scheduler.sleep(for: .seconds(10))
      note("closed")
    }
    try await run {
      try await scheduler.sleep(for: .seconds(65))
      #expect(await !timeout.use())
    }
    #expect(log.entries == ["60.0 idle", "70.0 closed"])
  }

  // At the moment at which the time is over, the use or the action comes first.
  @Test func `A use that returned true holds off an idle timeout's action`() async throws {
    let coverage = try await exploreOrders(0..<200) { clock in
      let scheduler = TimerScheduler(clock: clock)
      let log = Journal<String>()
      let timeout = await IdleTimeout(after: .seconds(60), on: scheduler) {
        log.note("idle at \(clock.now.offset)")
      }
      try await scheduler.sleep(for: .seconds(60))
      if await timeout.use() { log.note("used") }
      try await scheduler.sleep(for: .seconds(120))
      let expected = [["idle at 60.0 seconds"], ["used", "idle at 120.0 seconds"]]
      try #require(expected.contains(log.entries), "\(log.entries)")
    }
    #expect(coverage.orderCount > 1)
  }

  @Test @MainActor func `A slide show keeps the time that is left while it is paused`() async {
    let show = SlideShow(on: scheduler)
    show.start()
    await clock.advance(by: .seconds(12))
    #expect(show.picture == 2)
    show.pause()
    await clock.advance(by: .seconds(60))
    #expect(show.picture == 2)
    show.resume()
    await clock.advance(by: .seconds(2))
    #expect(show.picture == 2)
    await clock.advance(by: .seconds(1))
    #expect(show.picture == 3)
  }

  @Test func `A poller ends with the first yes`() async throws {
    try await run {
      try await poll(every: .seconds(5), limit: .seconds(60), on: scheduler) {
        note("asked")
        return log.entries.count == 3
      }
    }
    #expect(log.entries == ["0.0 asked", "5.0 asked", "10.0 asked"])
  }

  @Test func `A poller ends at its limit`() async throws {
    await #expect(throws: TimeoutError(limit: .seconds(12))) {
      try await run {
        defer { note("end") }
        try await poll(every: .seconds(5), limit: .seconds(12), on: scheduler) { false }
      }
    }
    #expect(log.entries == ["12.0 end"])
  }

  @Test func `A session ends half an hour after its last use`() async {
    let sessions = Sessions(on: scheduler)
    await sessions.use("a")
    await clock.advance(by: .seconds(1_799))
    #expect(await sessions.count == 1)
    await clock.advance(by: .seconds(1))
    #expect(await sessions.count == 0)
  }

  @Test func `A heartbeat tells the beats that it has missed`() async throws {
    try await run {
      await beat(every: .seconds(10), count: 3, on: scheduler) { missedCount in
        note("missed \(missedCount)")
        if log.entries.count == 1 { try? await scheduler.sleep(for: .seconds(25)) }
      }
    }
    #expect(log.entries == ["10.0 missed 0", "35.0 missed 1", "40.0 missed 0"])
  }

  @Test func `A value that can't be refreshed stays the last one`() async {
    let value = RefreshedValue<Int>(every: .seconds(60), on: scheduler) {
      note("fetch")
      guard log.entries.count != 2 else { throw Failure() }
      return log.entries.count
    }
    await clock.advance(by: .seconds(60))
    #expect(await value.current == 1)
    await clock.advance(by: .seconds(60))
    #expect(await value.current == 3)
    #expect(log.entries == ["0.0 fetch", "60.0 fetch", "120.0 fetch"])
  }
}
