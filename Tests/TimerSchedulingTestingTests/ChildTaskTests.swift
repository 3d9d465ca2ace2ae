import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingTesting

/// Actions and added tasks whose child tasks wait for the clock, beside others that don't.
@Suite(.limited, .guarantee("G131")) struct ChildTaskTests: VirtualTimeSuite {
  let time = VirtualTime.reporting(settlingTimeout: .whileMainActorIsBusy)
  private let log = Journal<Duration>()

  private func noteTime() { log.note(clock.now.offset) }

  // MARK: Child tasks that wait for the clock

  @Test(arguments: 0..<20) func `A time limit of a group ends at its moment`(round: Int) async throws {
    let task = clock.addTask { [clock, scheduler] in
      await withTaskGroup { group in
        group.addTask {
          for await _ in scheduler.timer(on: .every(.milliseconds(10)).limit(12)).firings {}
        }
        group.addTask { try? await clock.sleep(for: .milliseconds(150)) }
        await group.next()
        group.cancelAll()
      }
      noteTime()
    }
    await clock.advance(by: .seconds(1))
    await task.value
    #expect(log.entries == [.milliseconds(120)])
    #expect(lines.entries.isEmpty)
  }

  @Test func `An action's child tasks, and a task that it awaits, wait for the clock`() async {
    scheduler.schedule(.every(1).limit(20)) { [clock] _ in
      await withTaskGroup { group in
        group.addTask { try? await clock.sleep(for: .milliseconds(100)) }
        group.addTask { try? await clock.sleep(for: .milliseconds(200)) }
      }
      await Task { try? await clock.sleep(for: .milliseconds(100)) }.value
      noteTime()
    }
    await clock.advance(by: .seconds(30))
    #expect(log.entries == (1...20).map { .seconds($0) + .milliseconds(300) })
    #expect(lines.entries.isEmpty)
  }

  // It has no value of its maker's, by which its maker could be found.
  @Test func `A detached task that an action awaits waits for the clock`() async {
    scheduler.schedule(.every(1).limit(3)) { [clock] _ in
      await Task.detached { try? await clock.sleep(for: .milliseconds(100)) }.value
      noteTime()
    }
    await clock.advance(by: .seconds(5))
    #expect(log.entries == (1...3).map { .seconds($0) + .milliseconds(100) })
    #expect(lines.entries.isEmpty)
  }

  @Test func `An added task that awaits another waits for the clock with it`() async throws {
    let first = clock.addTask { [clock] in
      for _ in 0..<10 { try await clock.sleep(for: .seconds(1)) }
      return clock.now.offset
    }
    let second = clock.addTask { [clock] in
      let end = try await first.value
      try await clock.sleep(for: .seconds(5))
      return (end, clock.now.offset)
    }
    await clock.advance(by: .seconds(60))
    #expect(try await second.value == (.seconds(10), .seconds(15)))
    #expect(lines.entries.isEmpty)
  }

  @Test func `An interceptor's time limit takes no time of the machine's`() async {
    var configuration = TimerScheduler.Configuration.silent
    configuration.interceptor = { [limits = TimerScheduler(clock: clock)] _, body in
      try await withTimeout(.seconds(5), on: limits) { try await body() }
    }
    let scheduler = TimerScheduler(clock: clock, configuration: configuration)
    scheduler.schedule(.every(10).limit(60)) { [clock] tick in
      // Every third run takes too long.
      try await clock.sleep(for: tick.index % 3 == 2 ? .seconds(60) : .seconds(1))
      noteTime()
    }
    await clock.advance(by: .seconds(610))
    #expect(log.entries.count == 40)
    let failures = await scheduler.statistics.failureCount
    #expect(failures == 20)
    #expect(lines.entries.isEmpty)
  }

  // MARK: Child tasks that have something else to do

  enum Work: CaseIterable { case onMainActor, onTwoActors, inUnstructuredTask, ofManyJobs }

  @Test(arguments: Work.allCases, 0..<10)
  func `A child task that works is waited for beside one that sleeps`(work: Work, round: Int) async throws {
    try await expectNoAdvance {
      let worker = BlockingActor()
      switch work {
      case .onMainActor: await workOnMainActor()
      case .onTwoActors:
        for _ in 0..<10 {
          await worker.work(for: 1000)
          await workOnMainActor(for: 1000)
        }
      case .inUnstructuredTask: await Task<Void, Never> { usleep(20_000) }.value
      case .ofManyJobs: for _ in 0..<100 { await Task.yield() }
      }
    }
  }

  @Test func `A child task that waits for a main actor that is blocked for long is waited for`() async throws
  {
    try await expectNoAdvance { await workOnMainActor(for: 2_500_000) }
  }

  // One round after another, as each blocks a thread: without a free one, the clock can't look, and so can't
  // go on.
  @Test(.serialized, .guarantee("G138"), arguments: 0..<10)
  func `A child task is waited for that waits for an actor in use`(round: Int) async throws {
    let worker = BlockingActor()
    let others = (0..<3).map { _ in Task { await worker.work(for: 20_000) } }
    try await expectNoAdvance { await worker.work(for: 1000) }
    for other in others { await other.value }
  }

  /// Expects that work is done before the clock moves, though a child task beside it waits for the clock. The
  /// check runs in an added task and in an action.
  private func expectNoAdvance(during work: @escaping @Sendable () async -> Void) async throws {
    let body: @Sendable () async -> Void = { [clock] in
      await withTaskGroup { group in
        group.addTask {
          await work()
          noteTime()
        }
        group.addTask { try? await clock.sleep(for: .seconds(1)) }
      }
    }
    let task = clock.addTask { await body() }
    await clock.advance(by: .seconds(2))
    await task.value
    scheduler.schedule(.after(1)) { _ in await body() }
    await clock.advance(by: .seconds(3))
    #expect(log.entries == [.zero, .seconds(3)])
    #expect(lines.entries.isEmpty)
  }

  @Test(.guarantee("G130"))
  func `A child task that waits for a stream doesn't hold time`() async throws {
    let gate = AsyncStream.makeStream(of: Never.self)
    let clock = VirtualClock(settlingTimeout: .milliseconds(50), report: lines.note)
    let task = clock.addTask(name: "waiter") {
      await withTaskGroup { group in
        group.addTask { for await _ in gate.stream {} }
      }
    }
    await clock.advance(by: .seconds(1))
    await clock.advance(by: .seconds(1))
    #expect(clock.now.offset == .seconds(2))
    #expect(lines.entries.isEmpty)
    gate.continuation.finish()
    await task.value
  }
}

@MainActor private func workOnMainActor(for microseconds: UInt32 = 20_000) { usleep(microseconds) }

/// Performs one job after another, each of which blocks its thread.
actor BlockingActor {
  func work(for microseconds: UInt32) { usleep(microseconds) }
}
