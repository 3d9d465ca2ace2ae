import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingTesting

/// Operations with a limit, under virtual time: to the nanosecond, and without a wait of the clock for a task
/// that it doesn't know.
@Suite(.limited, .guarantee("G11")) struct TimeoutTests: VirtualTimeSuite {
  let time = VirtualTime.reporting(settlingTimeout: .whileMainActorIsBusy)

  private struct Failure: Error {}

  /// Runs an operation with a limit of five seconds in a task that the clock knows. Returns its result and
  /// the time.
  private func outcome<R: Sendable>(
    _ operation: @escaping @Sendable (TimerScheduler, VirtualClock) async throws -> R
  ) async throws -> (result: Result<R, any Error>, after: TimeInterval) {
    let task = clock.addTask { [clock, scheduler, start] in
      let result: Result<R, any Error>
      do {
        result = .success(
          try await withTimeout(.seconds(5), on: scheduler) { try await operation(scheduler, clock) })
      } catch {
        result = .failure(error)
      }
      return (result, clock.date.timeIntervalSince(start))
    }
    await clock.advance(by: .seconds(20))
    let outcome = await task.value
    #expect(lines.entries.isEmpty)
    #expect(scheduler.entryCount == 0)
    return outcome
  }

  @Test(arguments: [false, true])
  func `The result or error of an operation that ends before the limit is passed on`(fails: Bool) async throws
  {
    let (result, after) = try await outcome { scheduler, _ in
      try await scheduler.sleep(for: .milliseconds(4_999))
      if fails { throw Failure() }
      return 7
    }
    if fails {
      #expect(throws: Failure.self) { try result.get() }
    } else {
      #expect(try result.get() == 7)
    }
    #expect(after == 4.999)
  }

  @Test(arguments: [false, true])
  func `An operation that goes on after its limit is waited for, and its result or error is dropped`(
    fails: Bool
  ) async throws {
    let hasReturned = Lock(false)
    let (result, after) = try await outcome { _, clock in
      try? await clock.sleep(for: .seconds(6))
      for _ in 0..<100 { await Task.yield() }
      hasReturned.withLock { $0 = true }
      if fails { throw Failure() }
      return 7
    }
    #expect(throws: TimeoutError(limit: .seconds(5))) { try result.get() }
    #expect(hasReturned.withLock { $0 })
    #expect(after == 5)
  }

  @Test(arguments: 0..<50) func `An operation that ends at the limit returns its result`(round: Int)
    async throws
  {
    let (result, after) = try await outcome { scheduler, clock in
      switch round % 4 {
      case 0: try await scheduler.sleep(for: .seconds(5))
      case 1: try await clock.sleep(for: .seconds(5))
      case 2: for await _ in scheduler.ticks(every: 1, limit: 5) {}
      default:
        try await scheduler.sleep(for: .seconds(5))
        try await scheduler.sleep(for: .zero)
      }
      return 7
    }
    #expect(try result.get() == 7)
    #expect(after == 5)
  }

  @Test func `The shorter of two limits holds, and says which it was`() async throws {
    let (outer, after) = try await outcome { scheduler, _ in
      try await withTimeout(.seconds(7), on: scheduler) { try await scheduler.sleep(for: .seconds(8)) }
    }
    #expect(throws: TimeoutError(limit: .seconds(5))) { try outer.get() }
    #expect(after == 5)
    let (inner, _) = try await outcome { scheduler, _ in
      try await withTimeout(.seconds(3), on: scheduler) { try await scheduler.sleep(for: .seconds(8)) }
    }
    #expect(throws: TimeoutError(limit: .seconds(3))) { try inner.get() }
  }

  // A request that hangs is what a limit is for, so a test of it must take no real time, and not fail.
  @Test(arguments: 0..<20)
  func `An operation that hangs is cancelled at its limit, and doesn't hold up the clock`(round: Int) async {
    let hanging = AsyncStream<Void>.makeStream()
    let operation: @Sendable () async throws -> Void = { [clock, scheduler] in
      try await withTimeout(.seconds(5), on: scheduler) {
        for await _ in hanging.stream {}
        #expect(clock.date == Date(timeIntervalSinceReferenceDate: 5))
      }
    }
    let outcome = Journal<String>()
    let attempt: @Sendable () async -> Void = {
      do { try await operation() } catch { outcome.note("\(error)") }
    }
    switch round % 4 {
    case 0: clock.addTask { await attempt() }
    case 1: Task { await attempt() }
    case 2: Task { @MainActor in await attempt() }
    default: scheduler.schedule(after: .zero) { _ in await attempt() }
    }
    if round % 4 == 3 {
      await clock.advance(by: .zero)
    } else {
      await clock.waitForConsumers(limit: .whileMainActorIsBusy)
    }
    await clock.advance(by: .seconds(5) - .nanoseconds(1))
    #expect(outcome.entries.isEmpty)
    await clock.advance(by: .nanoseconds(1))
    #expect(await outcome.next() == "\(TimeoutError(limit: .seconds(5)))")
    #expect(lines.entries.isEmpty)
    #expect(clock.settlingTimeoutCount == 0)
  }

  @Test func `A task that is cancelled has its operation cancelled, and gets what that throws`() async {
    let task = Task { [scheduler] in
      try await withTimeout(.seconds(5), on: scheduler) { try await scheduler.sleep(for: .seconds(4)) }
    }
    await clock.waitForConsumers(2)
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(scheduler.entryCount == 0)
  }

  // MARK: Where it runs

  final class Counter {
    var count = 0
  }

  @MainActor @Test func `An operation runs on the caller's isolation, with values that can't be sent`()
    async throws
  {
    let counter = Counter()
    let same = try await withTimeout(.seconds(5), on: scheduler) {
      MainActor.assertIsolated()
      counter.count += 1
      await Task.yield()
      MainActor.assertIsolated()
      return counter
    }
    #expect(same === counter && counter.count == 1)
  }

  @Test func `An operation has its caller's task-local values, and is its child`() async throws {
    let counter = Counter()
    let name = try await Self.$name.withValue("caller") {
      try await withTimeout(.seconds(5), on: scheduler) {
        counter.count += 1
        return Self.name
      }
    }
    #expect(name == "caller" && counter.count == 1)
  }

  @TaskLocal private static var name = ""

  @Test(.tags(.realClock)) func `A limit holds in real time`() async {
    let clock = ContinuousClock()
    let begin = clock.now
    await #expect(throws: TimeoutError.self) {
      try await withTimeout(.milliseconds(5)) { try await Task.sleep(for: .seconds(3_600)) }
    }
    #expect(begin.duration(to: clock.now) >= .milliseconds(5))
    await #expect(throws: Never.self) { try await withTimeout(.seconds(3_600)) { await Task.yield() } }
  }
}
