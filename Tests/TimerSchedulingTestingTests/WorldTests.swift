import Dispatch
import Foundation
import Synchronization
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingTesting

/// The jobs of a clock's tasks: rules V1 to V5 and V12.
@Suite(.limited, .guarantee("G145")) struct WorldTests {
  @Test func `V1: One job of a world runs at a time, the main actor's on the main queue`() async throws {
    try await BusyLoops.run {
      for _ in 0..<rounds(100) {
        let gauge = Gauge()
        try await withVirtualClock { clock in
          let scheduler = TimerScheduler(clock: clock)
          scheduler.schedule(.every(1).limit(5)) { @MainActor _ in gauge.enter(onMain: true) }
          scheduler.schedule(.every(1).limit(5)) { _ in gauge.enter(onMain: false) }
          let worker = Worker(gauge)
          for number in 0..<10 {
            Task { @MainActor in
              gauge.enter(onMain: true)
              await worker.work()
              gauge.enter(onMain: true)
            }
            Task.detached {
              try? await Task.sleep(for: .milliseconds(number % 3))
              gauge.enter(onMain: false)
              await Task.yield()
              gauge.enter(onMain: false)
            }
            Task.immediate {
              gauge.enter(onMain: false)
              await worker.work()
            }
          }
          try await Task.sleep(for: .seconds(10))
        }
        #expect(gauge.count == 10 + 20 + 10 + 20 + 20)
        #expect(gauge.faultCount == 0)
        if gauge.faultCount > 0 { break }
      }
    }
  }

  @Test func `V1: A job of the main actor waits for the job that has made its task`() async throws {
    let log = Journal<String>()
    try await withVirtualClock { _ in
      let task = Task { @MainActor in log.note("task") }
      // A job that had gone to the main queue itself has run after this.
      DispatchQueue.main.sync {}
      log.note("body")
      await task.value
    }
    #expect(log.entries == ["body", "task"])
  }

  @Test func `V1: A move of a bare clock runs no two jobs at once, either`() async {
    await BusyLoops.run {
      let (gauge, clock) = (Gauge(), VirtualClock())
      let scheduler = TimerScheduler(clock: clock)
      for _ in 0..<20 {
        scheduler.schedule(.every(1)) { _ in
          gauge.enter(onMain: false)
          await Task { @MainActor in gauge.enter(onMain: true) }.value
        }
      }
      await clock.advance(by: .seconds(50))
      #expect(gauge.count == 2000)
      #expect(gauge.faultCount == 0)
    }
  }

  @Test func `V2: The course of a test is the same in every run`() async throws {
    let first = try await course()
    #expect(first.count == 12 * 8)
    try await BusyLoops.run {
      for _ in 0..<rounds(1000) {
        let next = try await course()
        #expect(next == first)
        if next != first { break }
      }
    }
  }

  /// Returns what twelve tasks of several kinds note, on their way through actors, sleeps and yields.
  private func course() async throws -> [String] {
    let log = Journal<String>()
    try await withVirtualClock { clock in
      let (left, right) = (Worker(Gauge()), Worker(Gauge()))
      @Sendable func work(_ name: String) async {
        for step in 0..<4 {
          await left.work()
          log.note("\(name).\(step)")
          await Task.yield()
          try? await clock.sleep(for: .milliseconds(step % 2))
          await right.work()
          log.note("\(name):\(step)")
        }
      }
      for number in 0..<4 {
        Task { await work("plain \(number)") }
        Task { @MainActor in await work("main \(number)") }
        Task.detached { await work("detached \(number)") }
      }
      try await clock.sleep(for: .seconds(1))
    }
    return log.entries
  }

  @Test func `V3, V5: A loop over a stream that the test feeds is settled when it has nothing to do`() async {
    let (clock, log) = (VirtualClock(settlingTimeout: .whileMainActorIsBusy), Journal<Int>())
    let (numbers, feed) = AsyncStream.makeStream(of: Int.self)
    let loop = Task {
      for await number in numbers {
        for _ in 0..<100 { await Task.yield() }
        await MainActor.run { log.note(number) }
      }
    }
    for number in 1...1000 {
      feed.yield(number)
      await clock.advance(by: .seconds(1))
      #expect(log.entries.count == number)
      if log.entries.count != number { break }
    }
    #expect(clock.settlingTimeoutCount == 0)
    feed.finish()
    await loop.value
  }

  @Test func `V3: A move by a task from outside sees what the task has made before`() async {
    await BusyLoops.run {
      for _ in 0..<rounds(50) {
        let (log, mainLog) = (Journal<Duration>(), Journal<Duration>())
        let clock = VirtualClock(settlingTimeout: .seconds(60))
        let scheduler = TimerScheduler(clock: clock)
        // As a test of XCTest whose clock was made by an asynchronous `setUp`.
        await performOutside {
          Task { for await _ in scheduler.ticks(every: 1) { log.note(clock.now.offset) } }
          Task { @MainActor in
            for await _ in scheduler.ticks(every: 1) { mainLog.note(clock.now.offset) }
          }
          await clock.advance(by: .seconds(3))
        }
        #expect(log.entries == [.seconds(1), .seconds(2), .seconds(3)])
        #expect(mainLog.entries == log.entries)
        if log.entries.count + mainLog.entries.count < 6 { break }
      }
    }
  }

  /// Runs `body` in a task that no task of a clock has made.
  private func performOutside(_ body: @escaping @Sendable () async -> Void) async {
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        Task {
          await body()
          continuation.resume()
        }
      }
    }
  }

  @Test func `V4: Time stands still while a run holds it, and waits for something outside`() async {
    let (clock, log) = (VirtualClock(settlingTimeout: .whileMainActorIsBusy), Journal<Duration>())
    let scheduler = TimerScheduler(clock: clock)
    scheduler.schedule(.after(1)) { _ in
      await clock.holdTime { await outside() }
      log.note(clock.now.offset)
    }
    clock.addTask {
      await clock.holdTime { await outside() }
      log.note(clock.now.offset)
      try? await clock.sleep(for: .seconds(2))
      await clock.holdTime { await outside() }
      log.note(clock.now.offset)
    }
    scheduler.schedule(.every(0.5)) { _ in }
    await clock.advance(by: .seconds(10))
    #expect(log.entries == [.zero, .seconds(1), .seconds(2)])
    #expect(clock.settlingTimeoutCount == 0)
  }

  @Test func `V4: A run waits for the clock through any task that it has made`() async {
    let (clock, log) = (VirtualClock(settlingTimeout: .whileMainActorIsBusy), Journal<Duration>())
    let scheduler = TimerScheduler(clock: clock)
    scheduler.schedule(.after(1)) { _ in
      await Task { await Task.detached { try? await clock.sleep(for: .seconds(2)) }.value }.value
      log.note(clock.now.offset)
    }
    await clock.advance(by: .seconds(10))
    #expect(log.entries == [.seconds(3)])
  }

  @Test func `V4: A plain task that waits for something outside doesn't hold time up`() async {
    let clock = VirtualClock(settlingTimeout: .whileMainActorIsBusy)
    let latch = Latch()
    let task = Task { await latch.wait() }
    await clock.advance(by: .seconds(3600))
    #expect(clock.now.offset == .seconds(3600))
    latch.open()
    await task.value
  }

  @Test func `V12: Four hundred tests in parallel have as much to do as each alone`() async {
    let alone = await Task.detached { await workOfTest() }.value
    let works = await withTaskGroup(of: UInt64.self) { group in
      for _ in 0..<400 { group.addTask { await workOfTest() } }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(Set(works) == [alone])
  }

  @Test func `V12: A world ends with its clock`() async {
    weak var last: AnyObject?
    for _ in 0..<100 {
      let clock = VirtualClock()
      Task { try? await clock.sleep(for: .zero) }
      await clock.advance(by: .seconds(1))
      last = clock
    }
    // The thread that has run the last job may hold the world for a moment.
    while last != nil { await Task.yield() }
  }
}

/// Returns the number of pieces of work of a test.
private func workOfTest() async -> UInt64 {
  let clock = VirtualClock(settlingTimeout: .whileMainActorIsBusy)
  let scheduler = TimerScheduler(clock: clock)
  let worker = Worker(Gauge())
  scheduler.schedule(.every(1).limit(10)) { @MainActor _ in
    await worker.work()
    await Task { try? await scheduler.sleep(for: .milliseconds(100)) }.value
  }
  let loop = clock.addTask { for await _ in scheduler.timer(on: .every(1).limit(10)).firings {} }
  await clock.advance(by: .seconds(20))
  await loop.value
  return clock.workCount
}

/// Waits in real time for a thread that no clock knows.
private func outside() async {
  await withCheckedContinuation { continuation in
    DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(50)) { continuation.resume() }
  }
}

/// Counts calls, and those that overlap or run on the wrong thread.
private final class Gauge: Sendable {
  private let insideCount = Atomic(0)
  private let calls = Counter()
  private let faults = Counter()

  var count: Int { calls.value }
  var faultCount: Int { faults.value }

  func enter(onMain: Bool?) {
    calls.add()
    if let onMain, isOnMainQueue() != onMain { faults.add() }
    if insideCount.add(1, ordering: .relaxed).newValue != 1 { faults.add() }
    for _ in 0..<100 { _ = insideCount.load(ordering: .relaxed) }
    insideCount.subtract(1, ordering: .relaxed)
  }
}

private actor Worker {
  private let gauge: Gauge

  init(_ gauge: Gauge) { self.gauge = gauge }

  func work() { gauge.enter(onMain: nil) }
}
