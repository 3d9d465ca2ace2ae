import Dispatch
import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingTesting

/// The clock's wait for consumers that may never ask for a tick.
@Suite(.limited, .guarantee("G130")) struct SettlingTimeoutTests: VirtualTimeSuite {
  let time = VirtualTime.reporting(settlingTimeout: .milliseconds(200))

  @Test func `A stream that no task asks, and a timer without listeners, cost no wait`() async {
    let (ticks, timer) = (scheduler.ticks(every: 1, name: "silent"), scheduler.timer(on: .every(1)))
    for _ in 0..<3 { await clock.advance(by: .seconds(10)) }
    #expect(lines.entries.isEmpty)
    #expect(clock.settlingTimeoutCount == 0)
    withExtendedLifetime((ticks, timer)) {}
  }

  @Test(.guarantee("G132"), arguments: [true, false], 0..<20)
  func `A task that sleeps on the clock before it asks for its first tick costs no wait`(
    isAdded: Bool, round: Int
  ) async {
    let (log, ticks) = (Journal<Date>(), scheduler.ticks(every: 1))
    let body: @Sendable () async -> Void = { [clock] in
      try? await clock.sleep(until: .init(offset: .milliseconds(5500)))
      for await tick in ticks { log.note(tick) }
    }
    let task = isAdded ? clock.addTask { await body() } : Task { () async throws in await body() }
    await clock.waitForSleepers()
    await clock.advance(by: .seconds(7))
    // The newest tick was kept.
    #expect(log.entries == [start + 5, start + 6, start + 7])
    #expect(clock.settlingTimeoutCount == 0)
    task.cancel()
  }

  @Test func `A plain consumer that holds its tick isn't waited for, and goes on when it can`() async {
    let (log, gate) = (Journal<Int>(), AsyncStream.makeStream(of: Void.self))
    let firings = scheduler.timer(on: .every(1), name: "held").firings
    let loop = Task {
      for await tick in firings {
        log.note(tick.index)
        if tick.index == 0 { for await _ in gate.stream {} }
      }
    }
    await clock.advance(by: .seconds(10))
    #expect(log.entries == [0])
    gate.continuation.finish()
    await clock.advance(by: .seconds(3))
    // One tick is kept for the nine that it has missed.
    #expect(log.entries == [0, 1, 2, 3, 4])
    #expect(lines.entries.isEmpty)
    loop.cancel()
  }

  @Test func `An added consumer that waits for a stream isn't waited for, and is when it has asked again`()
    async
  {
    let (log, gate) = (Journal<Int>(), AsyncStream.makeStream(of: Void.self))
    let firings = scheduler.timer(on: .every(1)).firings
    let loop = clock.addTask(name: "held") {
      for await tick in firings {
        log.note(tick.index)
        if tick.index == 0 { for await _ in gate.stream {} }
        // Real time, in which a clock that doesn't wait would go on.
        try? await Task.sleep(for: .milliseconds(1))
      }
    }
    await clock.advance(by: .seconds(10))
    #expect(log.entries == [0])
    gate.continuation.finish()
    await clock.advance(by: .seconds(3))
    #expect(log.entries == [0, 1, 2, 3, 4])
    #expect(lines.entries.isEmpty)
    loop.cancel()
  }

  @Test func `An action that waits for a stream isn't waited for, and is in its next run`() async {
    let (log, gate) = (Journal<Int>(), AsyncStream.makeStream(of: Void.self))
    scheduler.schedule(.every(1), name: "stuck") { tick in
      if tick.index == 0 { for await _ in gate.stream {} }
      // Real time, in which a clock that doesn't wait would go on.
      try? await Task.sleep(for: .milliseconds(1))
      log.note(tick.index)
    }
    await clock.advance(by: .seconds(2))
    #expect(log.entries.isEmpty)
    gate.continuation.finish()
    // Its next run is for the tick that was missed.
    await scheduler.waitUntilActionsHaveEnded()
    let count = log.entries.count
    await clock.advance(by: .seconds(3))
    #expect(log.entries.count == count + 3)
    #expect(lines.entries.isEmpty)
  }

  @Test func `The clock reports a task that an action has left running`() async {
    let gate = Gate()
    gate.close()
    scheduler.schedule(.after(1)) { _ in
      Task { gate.pass() }
    }
    await clock.advance(by: .seconds(10))
    #expect(lines.entries.count == 1)
    #expect(lines.entries.first?.contains("has kept its thread") == true)
    gate.open()
  }

  @Test(arguments: [false, true])
  func `A body goes on after it has kept its thread for longer than the world waits`(isOnMainThread: Bool)
    async throws
  {
    try await withVirtualClock { clock in
      // Nothing is due meanwhile, so another worker finds nothing to do.
      if isOnMainThread { await keepMainThread() } else { usleep(1_500_000) }
      try await Task.sleep(for: .seconds(1))
      #expect(clock.now.offset == .seconds(1))
    }
  }

  @Test func `A task that waited for a stream and has ended leaves nothing behind`() async {
    let gate = AsyncStream.makeStream(of: Void.self)
    let task = clock.addTask { [clock] in
      for await _ in gate.stream {}
      try await clock.sleep(for: .seconds(1))
    }
    await clock.advance(by: .seconds(1))
    gate.continuation.finish()
    await clock.waitForSleepers()
    await clock.advance(by: .seconds(1))
    _ = await task.result
    #expect(lines.entries.isEmpty)
  }

  @Test func `Many that are slow, one after the other, are all waited for`() async {
    let (log, worker) = (Journal<Int>(), BlockingActor())
    for number in 0..<30 {
      scheduler.schedule(.after(1)) { _ in
        await worker.work(for: 20_000)
        log.note(number)
      }
    }
    await clock.advance(by: .seconds(1))
    #expect(log.entries.count == 30)
    #expect(lines.entries.isEmpty)
  }

  @Test func `A backlog is taken whole, however long that takes`() async {
    let log = Journal<Int>()
    let firings = scheduler.timer(on: .every(1).missedTicks(.burst)).firings
    let loop = clock.addTask {
      for await tick in firings {
        try? await Task.sleep(for: .milliseconds(20))
        log.note(tick.index)
      }
    }
    await clock.waitForConsumers()
    await clock.stall(for: .seconds(30))
    #expect(log.entries == Array(0..<30))
    #expect(lines.entries.isEmpty)
    loop.cancel()
  }

  @Test(.guarantee("G133")) func `A main actor that is blocked for long costs its consumers no tick`() async {
    // In a process of its own, as a clock waits for a minute at most for a main actor that other tests may
    // use.
    await #expect(processExitsWith: .success) {
      let (time, log) = (VirtualTime.reporting(settlingTimeout: .milliseconds(200)), Journal<Int>())
      let loop = Task { @MainActor [scheduler = time.scheduler] in
        for await tick in scheduler.timer(on: .every(1).limit(10)).firings { log.note(tick.index) }
      }
      await time.clock.waitForConsumers()
      // Ten times the clock's settling timeout.
      DispatchQueue.main.async { usleep(2_000_000) }
      await time.clock.advance(by: .seconds(20))
      await loop.value
      #expect(log.entries == Array(0..<10))
      #expect(time.lines.entries.isEmpty)
    }
  }

  @Test func `A plain task that sleeps and ends costs no wait`() async throws {
    let task = Task { [clock] in
      try await clock.sleep(for: .seconds(1))
    }
    await clock.advance(by: .seconds(10))
    try await task.value
    #expect(lines.entries.isEmpty)
  }

  @Test func `A scheduler's own work that doesn't end holds the clock up for once only`() async {
    let gate = Gate()
    let rule = Blocking(gate: gate)
    let ticks = scheduler.ticks(on: .rule(rule))
    let loop = Task { for await _ in ticks {} }
    await clock.waitForConsumers()
    gate.close()
    // Asks the rule for a date of the new time, in a task of the scheduler's own.
    await clock.setWallClock(to: start - 1000)
    await clock.advance(by: .seconds(10))
    gate.open()
    loop.cancel()
  }

  @Test(.guarantee("G134")) func `A test that waits for too many for too long fails`() async {
    let (failures, clock) = (Journal<String>(), VirtualClock(onFailure: nil))
    let short = VirtualClock(settlingTimeout: .milliseconds(50), onFailure: failures.note)
    await short.waitForConsumers(2, limit: .milliseconds(20))
    await short.waitForSleepers(3, limit: .milliseconds(20))
    #expect(
      failures.entries == [
        "VirtualClock: The test waits for 2 consumers, and 0 were found. Wait for fewer, or start more.",
        "VirtualClock: The test waits for 3 sleepers, and 0 were found. Wait for fewer, or start more.",
      ])
    // A test that fails by default.
    await withKnownIssue { await clock.waitForSleepers(1, limit: .milliseconds(1)) }
  }

  @Test func `A test that waits for too many gets a line, and can be cancelled`() async {
    for timeout in [Duration.milliseconds(50), .zero] {
      let (said, report) = AsyncStream.makeStream(of: String.self)
      let clock = VirtualClock(settlingTimeout: timeout) { report.yield($0) }
      let wait = Task { await clock.waitForConsumers(2) }
      #expect(await said.first { _ in true }?.contains("2 consumers") == true)
      wait.cancel()
      await wait.value
    }
    let task = Task { [clock] in
      // Cancelled before it waits.
      unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
      await clock.waitForSleepers(2)
    }
    await task.value
  }
}

/// Lets threads through, or not.
private final class Gate: Sendable {
  private let semaphore = DispatchSemaphore(value: 1)

  func close() { semaphore.wait() }
  func open() { semaphore.signal() }

  func pass() {
    semaphore.wait()
    semaphore.signal()
  }
}

/// Every ten seconds, as long as the gate is open.
private struct Blocking: TickRule {
  let gate: Gate

  func nextTick(after date: Date) -> Date? {
    gate.pass()
    return date + 10
  }
}

@MainActor private func keepMainThread() { usleep(1_500_000) }
