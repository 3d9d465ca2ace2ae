import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingTesting

/// Operations with a limit, under virtual time: to the nanosecond, and without a wait of the clock for a task that it
/// doesn't know.
@Suite struct TimeoutTests {
  private struct Failure: Error {}

  private let clock: VirtualClock
  private let scheduler: TimerScheduler
  /// What the clock has said of tasks that it waits for.
  private let lines = Journal<String>()
  private let start = Date(timeIntervalSinceReferenceDate: 0)

  init() {
    clock = VirtualClock(date: start, settlingTimeout: .seconds(60), stepPerReading: .zero) { [lines] line in
      lines.note(line)
    }
    scheduler = TimerScheduler(clock: clock)
  }

  /// Runs an operation with a limit of five seconds in a task that the clock knows, and returns what comes of it and when.
  private func outcome<R: Sendable>(
    _ operation: @escaping @Sendable (TimerScheduler, VirtualClock) async throws -> R
  ) async -> (result: Result<R, any Error>, after: TimeInterval) {
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
    #expect(await scheduler.timerCount == 0)
    return outcome
  }

  @Test func `An operation that ends before the limit returns its result`() async throws {
    let (result, after) = await outcome { scheduler, _ in
      try await scheduler.sleep(for: .milliseconds(4_999))
      return 7
    }
    #expect(try result.get() == 7)
    #expect(after == 4.999)
  }

  @Test func `An operation that doesn't wait returns its result at once`() async throws {
    let (result, after) = await outcome { _, _ in 7 }
    #expect(try result.get() == 7)
    #expect(after == 0)
  }

  @Test func `What an operation throws before the limit is passed on`() async {
    let (result, after) = await outcome { scheduler, _ in
      try await scheduler.sleep(for: .seconds(1))
      throw Failure()
    }
    #expect(throws: Failure.self) { try result.get() }
    #expect(after == 1)
  }

  @Test func `At the limit the operation is cancelled`() async {
    let (result, after) = await outcome { scheduler, _ in try await scheduler.sleep(for: .seconds(6)) }
    #expect(throws: TimeoutError(limit: .seconds(5))) { try result.get() }
    #expect(after == 5)
  }

  @Test func `An operation that goes on after its limit is waited for, and its result is dropped`() async {
    let hasReturned = Lock(false)
    let (result, after) = await outcome { _, clock in
      try? await clock.sleep(for: .seconds(6))
      for _ in 0..<100 { await Task.yield() }
      hasReturned.withLock { $0 = true }
      return 7
    }
    #expect(throws: TimeoutError(limit: .seconds(5))) { try result.get() }
    #expect(hasReturned.withLock { $0 })
    #expect(after == 5)
  }

  @Test func `What an operation throws after its limit is dropped`() async {
    let (result, _) = await outcome { scheduler, _ in
      try? await scheduler.sleep(for: .seconds(6))
      throw Failure()
    }
    #expect(throws: TimeoutError.self) { try result.get() }
  }

  @Test(arguments: 0..<50) func `An operation that ends at the limit returns its result`(round: Int)
    async throws
  {
    let (result, after) = await outcome { scheduler, clock in
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

  @Test func `The shorter of two limits holds, and says which it was`() async {
    let (outer, after) = await outcome { scheduler, _ in
      try await withTimeout(.seconds(7), on: scheduler) { try await scheduler.sleep(for: .seconds(8)) }
    }
    #expect(throws: TimeoutError(limit: .seconds(5))) { try outer.get() }
    #expect(after == 5)
    let (inner, _) = await outcome { scheduler, _ in
      try await withTimeout(.seconds(3), on: scheduler) { try await scheduler.sleep(for: .seconds(8)) }
    }
    #expect(throws: TimeoutError(limit: .seconds(3))) { try inner.get() }
  }

  @Test func `A limit of zero is reached at once`() async {
    let task = clock.addTask { [scheduler] in
      try await withTimeout(.zero, on: scheduler) { try await scheduler.sleep(for: .seconds(1)) }
    }
    await clock.advance(by: .zero)
    await #expect(throws: TimeoutError(limit: .zero)) { try await task.value }
  }

  @Test func `A task that is cancelled has its operation cancelled, and gets what that throws`() async {
    let task = Task { [scheduler] in
      try await withTimeout(.seconds(5), on: scheduler) { try await scheduler.sleep(for: .seconds(4)) }
    }
    await clock.waitForConsumers(2)
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(await scheduler.timerCount == 0)
  }

  @Test func `A scheduler that shuts down limits nothing any more`() async throws {
    let task = clock.addTask { [clock, scheduler] in
      try await withTimeout(.seconds(5), on: scheduler) { try await clock.sleep(for: .seconds(6)) }
      return clock.date
    }
    await clock.waitForSleepers()
    scheduler.shutdown()
    await clock.advance(by: .seconds(10))
    #expect(try await task.value == start + 6)
    #expect(lines.entries.isEmpty)
  }

  // MARK: Where it runs

  private final class Counter {
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

  @Test func `An action with a limit goes on at its next tick`() async {
    let dates = Lock<[TimeInterval]>([])
    scheduler.schedule(.every(10).limit(60)) { [clock, scheduler, start] tick in
      do {
        try await withTimeout(.seconds(3), on: scheduler) {
          try await scheduler.sleep(for: tick.index.isMultiple(of: 2) ? .seconds(2) : .seconds(4))
        }
      } catch {
        #expect(error is TimeoutError)
      }
      dates.withLock { $0.append(clock.date.timeIntervalSince(start)) }
    }
    await clock.advance(by: .seconds(610))
    var ends: [TimeInterval] = []
    for run in 1...60 {
      let length = run.isMultiple(of: 2) ? 3 : 2
      ends.append(TimeInterval(10 * run + length))
    }
    #expect(dates.withLock { $0 } == ends)
    #expect(lines.entries.isEmpty)
  }

  @Test func `The timeout of an action cancels its run, and is its failure`() async {
    let log = EventLog()
    let scheduler = TimerScheduler(clock: clock, configuration: .init(observer: log))
    let ended = Journal<TimeInterval>()
    let timer = scheduler.schedule(every: .seconds(10), timeout: .seconds(3)) {
      [clock, scheduler, start] tick in
      try? await scheduler.sleep(for: tick.index.isMultiple(of: 2) ? .seconds(2) : .seconds(4))
      ended.note(clock.date.timeIntervalSince(start))
    }
    await clock.advance(by: .seconds(35))
    #expect(ended.entries == [12, 23, 32])
    #expect(timer.failure as? TimeoutError == TimeoutError(limit: .seconds(3)))
    timer.cancel()
    await scheduler.shutdownAndWait()
    let failures = log.events.filter { event in
      if case .actionFailed(let error) = event.kind { error is TimeoutError } else { false }
    }
    #expect(failures.count == 1)
    #expect(lines.entries.isEmpty)
  }

  @Test func `A run with a timeout is cancelled with its timer, and isn't shut down`() async {
    let ends = Journal<String>()
    let cancelled = scheduler.schedule(after: .seconds(1), timeout: .seconds(60)) { [scheduler] _ in
      do { try await scheduler.sleep(for: .seconds(30)) } catch { ends.note("cancelled") }
    }
    scheduler.schedule(after: .seconds(1), timeout: .seconds(60)) { [clock] _ in
      try await clock.sleep(for: .seconds(70))
      ends.note("shut down")
    }
    await clock.advance(by: .seconds(2))
    await cancelled.cancelAndWait()
    #expect(ends.entries == ["cancelled"])
    scheduler.shutdown()
    await clock.advance(by: .seconds(100))
    await scheduler.waitUntilActionsHaveEnded()
    #expect(ends.entries == ["cancelled", "shut down"])
  }

  @MainActor @Test
  func `An action of the main actor doesn't run after the main actor has cancelled its timer`() async {
    for _ in 0..<200 {
      let (count, isCancelled) = (Counter(), Counter())
      let scheduler = TimerScheduler(clock: clock)
      let timer = scheduler.schedule(.every(1), timeout: .seconds(3)) { @MainActor _ in
        if isCancelled.count > 0 { count.count += 1 }
      }
      async let moved: Void = clock.advance(by: .seconds(1))
      for _ in 0..<Int.random(in: 0..<10) { await Task.yield() }
      timer.cancel()
      isCancelled.count += 1
      await moved
      #expect(count.count == 0)
    }
  }

  @Test func `The owner of an action with a timeout is held for its run`() async {
    let owner = TimerOwner()
    let runs = Journal<Bool>()
    scheduler.schedule(every: .seconds(1), limit: 2, owner: owner, timeout: .seconds(1)) {
      [weak owner] given, _ in
      runs.note(given === owner)
    }
    await clock.advance(by: .seconds(5))
    #expect(runs.entries == [true, true])
  }

  @Test func `An interceptor may limit the runs of all actions`() async {
    var configuration = TimerScheduler.Configuration()
    configuration.interceptor = { [scheduler] _, body in
      try await withTimeout(.seconds(3), on: scheduler) { try await body() }
    }
    let limited = TimerScheduler(clock: clock, configuration: configuration)
    let ended = Journal<TimeInterval>()
    let timer = limited.schedule(.every(10)) { [clock, limited, start] tick in
      try? await limited.sleep(for: tick.index.isMultiple(of: 2) ? .seconds(2) : .seconds(4))
      ended.note(clock.date.timeIntervalSince(start))
    }
    await clock.advance(by: .seconds(600))
    #expect(ended.entries.prefix(4) == [12, 23, 32, 43])
    #expect(ended.entries.count == 59)
    #expect(timer.failure is TimeoutError)
    #expect(lines.entries.isEmpty)
  }

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
