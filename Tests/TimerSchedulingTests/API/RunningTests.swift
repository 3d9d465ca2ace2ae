import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingTesting

/// A scheduler that works until a signal.
@Suite(.tags(.threads), .limited, .guarantee("G101")) struct RunningTests: VirtualTimeSuite {
  let time = VirtualTime.manual()
  private let signal = Latch()

  private struct Failure: Error {}

  private func runWithoutSignal() -> Task<Void, any Error> {
    Task { [scheduler] in
      try await scheduler.run { try await Task.sleep(for: .seconds(3600)) }
    }
  }

  @Test func `On the signal no tick comes any more, streams finish, and what runs is waited for`()
    async throws
  {
    let consumer = Consumer(scheduler.ticks(every: 1))
    let (runs, mayEnd, ended) = (Journal<TimerTick>(), Latch(), Box<Bool>())
    let timer = scheduler.schedule(.every(1)) { tick in
      runs.note(tick)
      await mayEnd.wait()
      #expect(!Task.isCancelled)
      ended.value = true
    }
    let running = Task { [scheduler, signal] in
      try await scheduler.run { await signal.wait() }
      #expect(ended.value == true)
    }
    await clock.advance(by: .seconds(1))
    _ = await runs.next()
    #expect(await consumer.next() != nil)
    signal.open()
    #expect(await consumer.next() == nil)
    #expect(timer.state == .finished(.schedulerShutDown))
    mayEnd.open()
    try await running.value
    await clock.advance(by: .seconds(10))
    #expect(runs.entries.count == 1)
  }

  @Test func `The signal is waited for in a child of the calling task`() async throws {
    try await Locals.$name.withValue("service") {
      try await scheduler.run { #expect(Locals.name == "service") }
    }
  }

  @Test func `The signal's error is thrown after the shutdown`() async {
    let timer = scheduler.timer(on: .every(1))
    await #expect(throws: Failure.self) { try await scheduler.run { throw Failure() } }
    #expect(timer.state == .finished(.schedulerShutDown))
  }

  @Test func `A scheduler that was shut down before returns at once, without asking for the signal`()
    async throws
  {
    scheduler.shutdown()
    try await scheduler.run { Issue.record("The signal was asked for.") }
    try await scheduler.run { Issue.record("The signal was asked for.") }
  }

  @Test(arguments: [false, true])
  func `A shutdown meanwhile ends the wait for the signal`(waits: Bool) async throws {
    let running = runWithoutSignal()
    if waits { await scheduler.shutdownAndWait() } else { scheduler.shutdown() }
    try await running.value
  }

  @Test(arguments: [false, true])
  func `An action may shut down the scheduler that runs it`(waits: Bool) async throws {
    let ended = Box<Bool>()
    scheduler.schedule(.every(1)) { [scheduler] _ in
      if waits { await scheduler.shutdownAndWait() } else { scheduler.shutdown() }
      ended.value = true
    }
    let running = runWithoutSignal()
    await clock.advance(by: .seconds(1))
    try await running.value
    #expect(ended.value == true)
  }

  @Test func `Two that run the same scheduler both return`() async throws {
    let others = (0..<2).map { _ in runWithoutSignal() }
    try await scheduler.run { [signal] in
      signal.open()
      await signal.wait()
    }
    for other in others { try await other.value }
  }

  @Test func `Cancelled, it shuts down at once and cancels what runs`() async {
    let (runs, cancelled) = (Journal<TimerTick>(), Box<Bool>())
    scheduler.schedule(.every(1)) { tick in
      runs.note(tick)
      do {
        try await Task.sleep(for: .seconds(3600))
      } catch {
        cancelled.value = true
      }
    }
    let running = runWithoutSignal()
    await clock.advance(by: .seconds(1))
    _ = await runs.next()
    running.cancel()
    await #expect(throws: CancellationError.self) { try await running.value }
    #expect(cancelled.value == true)
    #expect(await scheduler.timerCount == 0)
  }

  @Test func `The shared scheduler can't run until it is shut down`() async {
    // It stops the process at the call, before it asks for the signal.
    await #expect(processExitsWith: .failure) { try await TimerScheduler.shared.run { exit(0) } }
  }
}

private enum Locals {
  @TaskLocal static var name: String?
}
