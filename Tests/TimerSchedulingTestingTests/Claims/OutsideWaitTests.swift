import Dispatch
import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingTesting

/// Waits for a stream or a continuation, which another member may end, or something outside: rule T4.
@Suite(.limited, .guarantee("G204")) struct OutsideWaitTests {
  /// What waits for the clock beside the body, which waits for something else.
  enum Company: CaseIterable, Sendable {
    case timer, loop, sleepingLoop, child, addedTask
  }

  // MARK: Tasks that prefer an executor

  private typealias Waiting = Box<CheckedContinuation<Void, Never>>

  @Test func `A task that goes on where it prefers to, unseen, is waited for`() async throws {
    let (pool, offset) = (QueueTaskExecutor(label: "pool"), Box<Duration>())
    let waiting = Waiting()
    try await withVirtualClock { clock in
      let member = Task {
        await withTaskExecutorPreference(pool) {
          await withCheckedContinuation { continuation in waiting.value = continuation }
          usleep(20_000)
          offset.value = clock.now.offset
        }
      }
      // Meanwhile the first task comes to its wait.
      Task {
        while waiting.value == nil { usleep(500) }
        usleep(5_000)
      }
      try await Task.sleep(for: .seconds(1))
      waiting.value?.resume()
      try await Task.sleep(for: .seconds(1))
      await member.value
    }
    #expect(offset.value == .seconds(1))
  }

  @Test func `A task of the world may resume one that goes on where it prefers to`() async throws {
    let pool = QueueTaskExecutor(label: "pool")
    let waiting = Waiting()
    try await withVirtualClock { clock in
      TimerScheduler(clock: clock).schedule(after: 60) { _ in waiting.value?.resume() }
      await withTaskExecutorPreference(pool) {
        await withCheckedContinuation { continuation in waiting.value = continuation }
      }
      #expect(clock.now.offset == .seconds(60))
    }
  }

  @Test func `Time waits for a task that was resumed from outside while its executor is busy`() async throws {
    let (pool, waiting, delay) = (QueueTaskExecutor(label: "pool"), Waiting(), Box<UInt64>())
    let offset = try await withVirtualClock { clock in
      Task { try await Task.sleep(for: .seconds(3_600)) }
      let began = DispatchTime.now().uptimeNanoseconds
      DispatchQueue.global().async {
        while waiting.value == nil { usleep(500) }
        usleep(10_000)
        Task(executorPreference: pool) { usleep(200_000) }
        waiting.value?.resume()
        delay.value = DispatchTime.now().uptimeNanoseconds - began
      }
      return await Task(executorPreference: pool) {
        await withCheckedContinuation { continuation in waiting.value = continuation }
        return clock.now.offset
      }.value
    }
    // On a busy machine the thread outside may take longer than time waits for it.
    #expect(offset == .zero || delay.value ?? 0 > 40_000_000)
  }

  // MARK: K3

  @Test func `Time stands still during short work outside, beside busy threads`() async throws {
    let companies = Company.allCases
    try await BusyLoops.run {
      var shortCount = 0
      for round in BusyLoops.rounds {
        let company = companies[round % companies.count]
        let (real, offset) = try await withVirtualClock(onFailure: { _ in }) { clock in
          try await with(company, on: clock) {
            try await Task.sleep(for: .seconds(0.5))
            let began = realTime()
            await withCheckedContinuation { done in
              startThread {
                usleep(2_000)
                done.resume()
              }
            }
            let offset = clock.now.offset
            return (realTime() - began, offset)
          }
        }
        // On a busy machine the work may take longer than time waits for it.
        guard real < .milliseconds(40) else { continue }
        shortCount += 1
        #expect(offset == .seconds(0.5), "\(company)")
        if offset != .seconds(0.5) { break }
      }
      #expect(shortCount > 0)
    }
  }

  @Test(arguments: Company.allCases)
  func `If time has moved during work outside, the test fails at its line, with the call to write`(
    company: Company
  )
    async throws
  {
    let (lines, line) = (Journal<String>(), #line + 2)
    try await withKnownIssue {
      try await withVirtualClock { clock in
        try await with(company, on: clock) {
          await withCheckedContinuation { done in
            startThread {
              while clock.now.offset == .zero { usleep(1_000) }
              done.resume()
            }
          }
        }
      }
    } matching: { issue in
      lines.note("\(issue.sourceLocation?.line ?? 0): \(issue.comments)")
      return true
    }
    #expect(lines.entries.count == 1)
    #expect(lines.entries.first?.hasPrefix("\(line): ") == true)
    #expect(lines.entries.first?.contains("holdTime") == true)
  }

  @Test func `Nothing is reported if no deadline has come during work outside`() async throws {
    try await withVirtualClock { clock in
      await withCheckedContinuation { done in
        startThread {
          usleep(120_000)
          done.resume()
        }
      }
      #expect(clock.now.offset == .zero)
    }
  }

  // MARK: K19

  @Test(arguments: [false, true])
  func `A body reads a stream that a timer's action feeds`(isThrowing: Bool) async throws {
    try await withVirtualClock { clock in
      let scheduler = TimerScheduler(clock: clock)
      var offsets: [Duration] = []
      if isThrowing {
        let (values, input) = AsyncThrowingStream.makeStream(of: Int.self)
        scheduler.schedule(every: 60) { _ in input.yield(7) }
        for try await _ in values.prefix(100) { offsets.append(clock.now.offset) }
      } else {
        let (values, input) = AsyncStream.makeStream(of: Int.self)
        scheduler.schedule(every: 60) { _ in input.yield(7) }
        for await _ in values.prefix(100) { offsets.append(clock.now.offset) }
      }
      #expect(offsets == (1...100).map { .seconds(60 * $0) })
    }
  }

  @Test func `A body waits for a callback that a timer's action calls`() async throws {
    try await withVirtualClock { clock in
      let scheduler = TimerScheduler(clock: clock)
      await withCheckedContinuation { done in scheduler.schedule(after: 60) { _ in done.resume() } }
      #expect(clock.now.offset == .seconds(60))
      await unsafe withUnsafeContinuation { done in
        scheduler.schedule(after: 60) { _ in unsafe done.resume() }
      }
      #expect(clock.now.offset == .seconds(120))
    }
  }

  // MARK: K27

  @Test func `Two runs share a lock under which one sleeps`() async throws {
    try await withVirtualClock { clock in
      let (scheduler, lock, ends) = (TimerScheduler(clock: clock), AsyncLock(), Journal<Duration>())
      for _ in 0..<2 {
        scheduler.schedule(every: 10, limit: 2) { _ in
          await lock.lock()
          try? await Task.sleep(for: .seconds(3))
          await lock.unlock()
          ends.note(clock.now.offset)
        }
      }
      try await Task.sleep(for: .seconds(60))
      #expect(ends.entries == [13, 16, 23, 26].map { .seconds($0) })
    }
  }

  @Test func `Two runs of a bare clock share a lock under which one sleeps`() async {
    let (clock, lock, ends) = (VirtualClock(), AsyncLock(), Journal<Duration>())
    let scheduler = TimerScheduler(clock: clock)
    for _ in 0..<2 {
      scheduler.schedule(every: 10, limit: 2) { _ in
        await lock.lock()
        try? await clock.sleep(for: .seconds(3))
        await lock.unlock()
        ends.note(clock.now.offset)
      }
    }
    await clock.advance(by: 60)
    #expect(ends.entries == [13, 16, 23, 26].map { .seconds($0) })
  }

  @Test func `A body waits for a lock that an action holds while it sleeps`() async throws {
    try await withVirtualClock { clock in
      let (scheduler, lock) = (TimerScheduler(clock: clock), AsyncLock())
      scheduler.schedule(after: 1) { _ in
        await lock.lock()
        try? await Task.sleep(for: .seconds(5))
        await lock.unlock()
      }
      try await Task.sleep(for: .seconds(2))
      await lock.lock()
      #expect(clock.now.offset == .seconds(6))
    }
  }
}

/// Calls `body` while something else waits for the clock.
private func with<R: Sendable>(
  _ company: OutsideWaitTests.Company, on clock: VirtualClock, _ body: @Sendable () async throws -> R
) async throws -> R {
  let scheduler = TimerScheduler(clock: clock)
  switch company {
  case .timer:
    scheduler.schedule(every: 1) { _ in }
    return try await body()
  case .loop:
    let loop = Task { for await _ in scheduler.ticks(every: 1) {} }
    defer { loop.cancel() }
    return try await body()
  case .sleepingLoop:
    let loop = Task { while !Task.isCancelled { try? await Task.sleep(for: .seconds(1)) } }
    defer { loop.cancel() }
    return try await body()
  case .child:
    async let _: Void = Task.sleep(for: .seconds(3_600))
    return try await body()
  case .addedTask:
    let loop = clock.addTask { while !Task.isCancelled { try? await clock.sleep(for: .seconds(1)) } }
    defer { loop.cancel() }
    return try await body()
  }
}
