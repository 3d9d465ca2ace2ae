import Dispatch
import Synchronization
import TestSupport
import Testing
import TimerScheduling

@Suite(.tags(.threads), .limited) struct WaitersTests {
  /// Tasks that wait until a number is high enough.
  private final class Threshold: Sendable {
    let number = Atomic<Int>(0)
    let waiters = Waiters<Int>(in: nil)

    func wait(for goal: Int, isCancellable: Bool = false) async {
      await waiters.wait(isCancellable: isCancellable) {
        number.load(ordering: .sequentiallyConsistent) < goal ? goal : nil
      }
    }

    func raise(to goal: Int) {
      number.store(goal, ordering: .sequentiallyConsistent)
      waiters.resume { $0 <= goal }
    }
  }

  // Hangs if the count is raised after the check, or read before the change.
  @Test func `A task that begins to wait as its condition comes to hold doesn't wait`() async {
    let threshold = Threshold()
    for goal in 1...rounds(2_000) {
      async let waiting: Void = threshold.wait(for: goal)
      async let raising: Void = threshold.raise(to: goal)
      _ = await (waiting, raising)
    }
  }

  // Hangs if the task isn't counted before its condition is checked.
  @Test func `A condition that comes to hold right after its check ends the wait`() async {
    let threshold = Threshold()
    await threshold.waiters.wait {
      let raised = DispatchSemaphore(value: 0)
      DispatchQueue.global().async {
        threshold.raise(to: 1)
        raised.signal()
      }
      // A thread that sees the count blocks on the lock, which this task holds, so that this wait times out.
      // A thread that sees no waiting task signals at once, and the task then waits for ever.
      _ = raised.wait(timeout: .now() + .milliseconds(100))
      return 1
    }
  }

  @Test func `A task that is cancelled waits no longer, before or after it began to`() async {
    let threshold = Threshold()
    for _ in 0..<rounds(500) {
      let task = Task { await threshold.wait(for: .max, isCancellable: true) }
      task.cancel()
      await task.value
    }
  }

  @Test func `A task that was cancelled before its wait doesn't wait`() async {
    let threshold = Threshold()
    await Task {
      unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
      await threshold.wait(for: .max, isCancellable: true)
    }.value
  }

  @Test func `Only the tasks whose condition holds are resumed, in the order in which they came`() async {
    let threshold = Threshold()
    let resumed = Journal<Int>()
    let goals = [3, 1, 3, 2, 1]
    // On one thread, so that they also go on in the order in which they are resumed.
    let executor = OwnThread()
    for (place, goal) in goals.enumerated() {
      let isWaiting = Latch()
      Task(executorPreference: executor) {
        await threshold.waiters.wait {
          isWaiting.open()
          return goal
        }
        resumed.note(place)
      }
      await isWaiting.wait()
    }
    for goal in 1...3 { threshold.raise(to: goal) }
    for _ in goals { _ = await resumed.next() }
    #expect(resumed.entries == [1, 4, 3, 0, 2])
  }

  @Test func `A task that doesn't heed its cancellation waits for its condition`() async {
    let threshold = Threshold()
    let hasWaited = Atomic<Bool>(false)
    let task = Task {
      await threshold.wait(for: 1)
      hasWaited.store(true, ordering: .sequentiallyConsistent)
    }
    task.cancel()
    for _ in 0..<100 { await Task.yield() }
    let isOver = hasWaited.load(ordering: .sequentiallyConsistent)
    #expect(!isOver)
    threshold.raise(to: 1)
    await task.value
  }
}
