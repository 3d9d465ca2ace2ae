import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingTesting

@Suite(.limited, .guarantee("G12")) struct RetryTests: VirtualTimeSuite {
  let time = VirtualTime()

  private struct Failure: Error, Equatable { let attempt: Int }

  /// Fails at each attempt before `success`, and returns the moments of all.
  private func moments(_ attempts: Int, _ backoff: Backoff, success: Int) async throws -> [Duration] {
    let (clock, moments) = (clock, Journal<Duration>())
    let task = clock.addTask { [scheduler] in
      try await withRetries(attempts, backoff: backoff, on: scheduler) {
        moments.note(clock.now.offset)
        if moments.entries.count < success { throw Failure(attempt: moments.entries.count) }
      }
    }
    await advance(100_000)
    try await task.value
    return moments.entries
  }

  @Test func `An operation that fails is run again after the wait, until it succeeds`() async throws {
    let moments = try await moments(5, .constant(.seconds(2)), success: 4)
    #expect(moments == [.zero, .seconds(2), .seconds(4), .seconds(6)])
  }

  @Test func `The last error is thrown, and without a further wait`() async throws {
    await #expect(throws: Failure(attempt: 3)) { try await moments(3, .constant(.seconds(2)), success: 9) }
    await #expect(throws: Failure(attempt: 1)) { try await moments(1, .constant(.seconds(2)), success: 9) }
  }

  @Test func `Waits double up to the longest, and none is longer`() async throws {
    var most = [Duration.zero, .zero, .zero, .zero]
    for _ in 0..<200 {
      let moments = try await moments(
        5, .exponential(from: .seconds(1), upTo: .seconds(5)), success: 5)
      let waits = zip(moments, moments.dropFirst()).map { $1 - $0 }
      for (index, limit) in [1, 2, 4, 5].enumerated() {
        #expect(waits[index] >= .zero && waits[index] < .seconds(limit))
        most[index] = max(most[index], waits[index])
      }
    }
    // Each limit is used.
    #expect(zip(most, [1, 2, 4, 5]).allSatisfy { $0 > .seconds($1) * 0.9 })
  }

  @Test func `Waits below zero count as zero, and those after many attempts as the longest`() async throws {
    let zero = Backoff.exponential(from: .seconds(-1), upTo: .seconds(60))
    for backoff in [zero, .constant(.seconds(-1)), .exponential(from: .seconds(1), upTo: .seconds(-1))] {
      let moments = try await moments(300, backoff, success: 300)
      #expect(moments.count == 300)
      #expect(moments.first == moments.last)
    }
    let waits = try await moments(300, .exponential(from: .nanoseconds(1), upTo: .seconds(1)), success: 300)
    #expect(zip(waits, waits.dropFirst()).allSatisfy { $1 - $0 < .seconds(1) })
    #expect(try #require(waits.last) - waits[0] > .seconds(100))
  }

  @Test func `The retries of a thousand clients spread evenly`() async throws {
    let (clock, scheduler, moments) = (clock, scheduler, Journal<Duration>())
    for _ in 0..<1000 {
      clock.addTask {
        var attempt = 0
        try await withRetries(2, backoff: .exponential(from: .seconds(10), upTo: .seconds(60)), on: scheduler)
        {
          attempt += 1
          if attempt == 1 { throw Failure(attempt: 1) }
          moments.note(clock.now.offset)
        }
      }
    }
    await advance(10)
    let counts = moments.entries.reduce(into: [Int](repeating: 0, count: 10)) {
      $0[Int($1.components.seconds)] += 1
    }
    #expect(counts.reduce(0, +) == 1000)
    // A tenth is 100, with a standard deviation of less than 10.
    #expect(counts.allSatisfy { (60...140).contains($0) }, "\(counts)")
  }

  @Test func `A cancelled task, a cancellation and an error that isn't worth it end the retries at once`()
    async
  {
    let (clock, scheduler, attempts) = (clock, scheduler, Counter())
    let cancelled = clock.addTask {
      try await withRetries(5, backoff: .constant(.seconds(60)), on: scheduler) {
        attempts.add()
        throw Failure(attempt: 1)
      }
    }
    await advance(90)
    cancelled.cancel()
    await #expect(throws: CancellationError.self) { try await cancelled.value }
    #expect(attempts.value == 2)

    await #expect(throws: CancellationError.self) {
      try await withRetries(5, on: scheduler) {
        attempts.add()
        throw CancellationError()
      }
    }
    #expect(attempts.value == 3)

    await #expect(throws: Failure(attempt: 1)) {
      try await withRetries(5, on: scheduler, if: { ($0 as? Failure)?.attempt != 1 }) {
        attempts.add()
        throw Failure(attempt: 1)
      }
    }
    #expect(attempts.value == 4)
    #expect(clock.now.offset == .seconds(90))
  }

  @Test func `The shutdown of the scheduler ends a wait at once`() async throws {
    let scheduler = scheduler
    let task = clock.addTask {
      try await withRetries(5, backoff: .constant(.seconds(60)), on: scheduler) { throw Failure(attempt: 1) }
    }
    await advance(1)
    scheduler.shutdown()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(clock.now.offset == .seconds(1))
  }

  @MainActor @Test func `An operation runs on its caller, and may use what isn't Sendable`() async throws {
    final class Notes { var count = 0 }
    let notes = Notes()
    let value = try await withRetries(3, backoff: .constant(.zero)) {
      MainActor.assertIsolated()
      notes.count += 1
      if notes.count < 3 { throw Failure(attempt: notes.count) }
      return notes.count
    }
    #expect(value == 3)
  }

  @Test func `An operation has one attempt or more`() async {
    await #expect(processExitsWith: .failure) { try await withRetries(0) {} }
  }
}
