import Dispatch
import TestSupport
import Testing
import TimerScheduling

/// Values that one run leaves in its task never reach the next one, and nothing outlives its use.
@Suite(.tags(.threads), .limited, .guarantee("G109")) struct RunnerSharingTests {
  private enum Local {
    @TaskLocal static var value = 0
  }

  private struct Facts: Sendable, Hashable {
    var isCancelled = Task.isCancelled
    var priority = Task.currentPriority.rawValue
    var value = Local.value
  }

  private let counter = RunCounter()

  /// Returns the values that a number of runs find after `run`, and those that one finds in a fresh pool.
  private func facts(after run: TestRun) async -> (found: Set<Facts>, fresh: Facts?) {
    let found = Journal<Facts>()
    let probe = TestRun { found.note(Facts()) }
    RunnerPool<TestRun>(label: "fresh", width: 1, limit: 1).submit(probe)
    let fresh = await found.next()
    let later = Journal<Facts>()
    let laterProbe = TestRun { later.note(Facts()) }
    let pool = RunnerPool<TestRun>(label: "test", width: 1, limit: 1)
    pool.submit([laterProbe, run, laterProbe, run, laterProbe, laterProbe])
    for _ in 0..<4 { _ = await later.next() }
    return (Set(later.entries), fresh)
  }

  @Test func `A run that cancels its own task doesn't cancel the next ones`() async {
    let (found, fresh) = await facts(after: TestRun { unsafe withUnsafeCurrentTask { unsafe $0?.cancel() } })
    #expect(found == [fresh])
    #expect(fresh?.isCancelled == false)
  }

  @Test func `A run that escalates its own task leaves the priority of the next ones`() async {
    let run = TestRun {
      unsafe withUnsafeCurrentTask { task in
        if let task = unsafe task { unsafe task.escalatePriority(to: .high) }
      }
    }
    let (found, fresh) = await facts(after: run)
    #expect(found == [fresh])
  }

  @Test func `The submitting task's values, priority and cancellation don't reach its runs`() async {
    let fresh = await facts(after: TestRun {}).fresh
    let found = Journal<Facts>()
    let pool = RunnerPool<TestRun>(label: "test", width: 1, limit: 1)
    Task(priority: .background) {
      unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
      Local.$value.withValue(1) { pool.submit(TestRun { found.note(Facts()) }) }
    }
    #expect(await found.next() == fresh)
    #expect(fresh?.value == 0)
  }

  @Test func `A runner that is cancelled for a run performs no other`() async {
    let pool = RunnerPool<TestRun>(label: "test", width: 1, limit: 1)
    let runners = Journal<Runner>()
    pool.submit(
      (0..<4).map { number in
        TestRun(inRunner: { runner in
          // The journal keeps the runner, so no other gets its address.
          runners.note(runner)
          return number != 1
        })
      })
    for _ in 0..<4 { _ = await runners.next() }
    let entries = runners.entries
    #expect(entries[0] === entries[1])
    #expect(entries[1] !== entries[2])
    #expect(entries[2] === entries[3])
  }

  @Test func `A runner can be cancelled as soon as a run has it`() async {
    let pool = RunnerPool<TestRun>(label: "test", width: 4)
    let count = rounds(10_000)
    let counter = self.counter
    let results = Journal<(Bool, Bool)>()
    for number in 0..<count {
      pool.submit(
        TestRun(inRunner: { runner in
          let isMeant = number % 3 == 0
          let before = Task.isCancelled
          if isMeant { runner.task?.cancel() }
          results.note((before, Task.isCancelled == isMeant))
          counter.add()
          return !isMeant
        }))
    }
    await counter.reach(count)
    #expect(results.entries.allSatisfy { !$0 && $1 })
  }

  // MARK: Release

  @Test func `A pool that is dropped is released once its runs have ended`() async {
    let gate = Latch()
    let released = RunCounter()
    weak var remaining: RunnerExecutor?
    do {
      let pool = RunnerPool<TestRun>(label: "test", width: 2)
      remaining = pool
      for _ in 0..<100 {
        let probe = ReleaseProbe { released.add() }
        pool.submit(
          TestRun { [counter] in
            counter.add()
            await gate.wait()
            withExtendedLifetime(probe) {}
          })
      }
      await counter.reach(100)
    }
    // Suspended runs keep their executor.
    #expect(remaining != nil)
    gate.open()
    await released.reach(100)
    await Self.release { remaining == nil }
  }

  @Test func `Runners that have nothing to do end`() async {
    let pool = RunnerPool<TestRun>(label: "test", width: 4)
    let all = Journal<Weak>()
    pool.submit(
      (0..<1000).map { number in
        TestRun(inRunner: { [counter] runner in
          all.note(Weak(runner))
          if number % 10 == 0 { await Task.yield() }
          counter.add()
          return true
        })
      })
    await counter.reach(1000)
    await Self.release { all.entries.allSatisfy { $0.runner == nil } }
    withExtendedLifetime(pool) {}
  }

  @Test func `A run is released as it ends, before the next one begins`() async {
    let pool = RunnerPool<TestRun>(label: "test", width: 1, limit: 1)
    let events = Journal<Int>()
    let latch = DispatchSemaphore(value: 0)
    // Delays the other runs until the array in which they are submitted has been released.
    pool.submit(TestRun { latch.signalled() })
    pool.submit(
      (0..<3).map { number in
        let probe = ReleaseProbe { events.note(10 * number + 1) }
        return TestRun {
          events.note(10 * number)
          withExtendedLifetime(probe) {}
        }
      })
    latch.signal()
    for _ in 0..<6 { _ = await events.next() }
    #expect(events.entries == [0, 1, 10, 11, 20, 21])
  }

  /// Waits until other threads have released their values after the end of the last run.
  private static func release(_ isReleased: () -> Bool) async {
    let end = ContinuousClock.now + .seconds(30)
    while !isReleased(), ContinuousClock.now < end { try? await Task.sleep(for: .milliseconds(1)) }
    #expect(isReleased())
  }
}

private struct Weak: Sendable {
  weak let runner: Runner?

  init(_ runner: Runner) { self.runner = runner }
}
