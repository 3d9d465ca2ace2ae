import Foundation
import TestSupport
import Testing
import TimerScheduling

/// The runs that share a task, and the order in which they begin.
@Suite(.tags(.threads), .limited) struct RunnerPoolTests {
  private let counter = RunCounter()

  @Test func `A runner performs many runs that don't suspend`() async {
    let pool = RunnerPool<TestRun>(label: "test", width: 1, limit: 1)
    let runners = Journal<Runner>()
    let count = 1000
    pool.submit(
      (0..<count).map { _ in
        TestRun(inRunner: { [counter] runner in
          runners.note(runner)
          counter.add()
          return true
        })
      })
    await counter.reach(count)
    // One runner begins all. A batch is submitted at once.
    #expect(Set(runners.entries.map(ObjectIdentifier.init)).count == 1)
  }

  @Test(arguments: [1, 4]) func `No run waits for another one that is suspended`(width: Int) async {
    let pool = RunnerPool<TestRun>(label: "test", width: width)
    let gate = Latch()
    let count = 1000
    pool.submit(
      (0..<count).map { number in
        TestRun { [counter] in
          if number < count / 2 { await gate.wait() }
          counter.add()
        }
      })
    // All runs that don't wait at the gate.
    await counter.reach(count / 2)
    #expect(counter.count == count / 2)
    gate.open()
    await counter.reach(count)
  }

  @Test func `With one worker, runs begin in the order in which they were submitted`() async {
    let pool = RunnerPool<TestRun>(label: "test", width: 1, limit: 1)
    for round in 0..<rounds(1000) {
      let counter = RunCounter()
      let begun = Journal<Int>()
      let count = 100
      let runs = (0..<count).map { number in
        TestRun {
          begun.note(number)
          if number % 7 == round % 7 { await Task.yield() }
          counter.add()
        }
      }
      pool.submit(Array(runs[..<40]))
      for run in runs[40..<60] { pool.submit(run) }
      pool.submit(Array(runs[60...]))
      await counter.reach(count)
      #expect(begun.entries == Array(0..<count))
    }
  }

  @Test(arguments: [1, 4]) func `Runs that yield all the time don't hold up later ones`(width: Int) async {
    let pool = RunnerPool<TestRun>(label: "test", width: width)
    let isOver = Box<Bool>()
    let (yielding, later, ended) = (RunCounter(), RunCounter(), RunCounter())
    // The runs go from one step to the next by themselves, as the test waits for its turn among others.
    let laterRuns = (0..<1000).map { _ in
      TestRun { if later.add() == 1000 { isOver.value = true } }
    }
    pool.submit(
      (0..<100).map { _ in
        TestRun {
          if yielding.add() == 100 { pool.submit(laterRuns) }
          while isOver.value == nil { await Task.yield() }
          ended.add()
        }
      })
    await ended.reach(100)
  }

  // With several workers this one says only that the run goes on at all: while one of them is held up by the
  // system, the others may begin any number of runs.
  @Test(arguments: [1, 4]) func `A run that was suspended goes on while others keep coming`(width: Int) async
  {
    let pool = RunnerPool<TestRun>(label: "test", width: width, limit: width == 1 ? 1 : nil)
    let isOver = Box<Bool>()
    let waiting = 500
    // The numbers of runs that have begun while a run was suspended.
    let delays = Lock<[Int]>([])
    // Each run submits another, so the number of waiting runs stays the same.
    @Sendable func submitSuccessor() {
      pool.submit(
        TestRun { [counter] in
          if counter.add() == 2 * waiting { submitSuspending() }
          if isOver.value == nil { submitSuccessor() }
        })
    }
    let done = RunCounter()
    @Sendable func submitSuspending() {
      pool.submit(
        TestRun { [counter] in
          let before = counter.count
          await Task.yield()
          delays.withLock { $0.append(counter.count - before) }
          if done.add() < 50 { submitSuspending() } else { isOver.value = true }
        })
    }
    for _ in 0..<waiting { submitSuccessor() }
    await done.reach(50)
    // While a suspended run waits, the others have turns of at most 64: one that is under way, and the next.
    if width == 1 { #expect(delays.withLock { $0.max() ?? 0 } <= 128) }
  }

  // MARK: Threads

  @Test func `Runs, their resumptions and child tasks go on while all of Swift's threads are blocked`() async
  {
    let pool = RunnerPool<TestRun>(label: "test", width: 2)
    let blockade = Blockade()
    await withTaskExecutorPreference(OwnThread()) {
      pool.submit(
        (0..<100).map { _ in
          TestRun { [counter] in
            await Task.yield()
            await withTaskGroup(of: Void.self) { group in
              for _ in 0..<3 { group.addTask { counter.add() } }
            }
            await OtherActor().count(with: counter)
          }
        })
      await counter.reach(400)
      blockade.lift()
    }
  }

  @Test(.guarantee("G108")) func `Runs that block all workers get others in their place`() async {
    let pool = RunnerPool<TestRun>(label: "test", width: 2)
    let latch = DispatchSemaphore(value: 0)
    let blocked = RunCounter()
    let blockedCount = 20
    pool.submit(
      (0..<blockedCount).map { _ in
        TestRun {
          blocked.add()
          latch.signalled()
          blocked.add()
        }
      })
    pool.submit((0..<100).map { _ in TestRun { [counter] in counter.add() } })
    await counter.reach(100)
    #expect(blocked.count == blockedCount)
    // One of the two workers that may be busy may have been blocked since the last check.
    #expect(pool.load.blockedCount >= blockedCount - 1 && pool.load.waitingRunCount == 0)
    for _ in 0..<blockedCount { latch.signal() }
    await blocked.reach(2 * blockedCount)
  }

  // A run blocks its thread until a later one has run. The estimate of a run's length falls and rises
  // meanwhile.
  @Test func `In rounds of runs of mixed lengths none waits unseen`() async {
    let pool = RunnerPool<TestRun>(label: "test", width: 2)
    for round in 0..<rounds(500) {
      let counter = RunCounter()
      let latch = DispatchSemaphore(value: 0)
      let runs = (0..<200).map { number in
        TestRun {
          switch (number + round) % 200 {
          case 50: latch.signalled()
          case 51: latch.signal()
          case let place where place % 40 == 0: usleep(200)
          case let place where place % 9 == 0: await Task.yield()
          default: break
          }
          counter.add()
        }
      }
      pool.submit(Array(runs[..<(round % 199)]))
      for run in runs[(round % 199)...] { pool.submit(run) }
      await counter.reach(200)
    }
  }
}

private actor OtherActor {
  func count(with counter: RunCounter) { counter.add() }
}
