import Dispatch
import TestSupport
import Testing
import TimerScheduling

@Suite(.tags(.threads), .limited) struct QueueExecutorTests {
  @Test func `Work passed to the executor is isolated to its actor`() async {
    let worker = Worker()
    let isOnExecutor = await withCheckedContinuation { continuation in
      worker.executor.async {
        continuation.resume(returning: worker.assumeIsolated { $0.isOnExecutor })
      }
    }
    #expect(isOnExecutor)
  }

  @Test func `Work and jobs run in the order in which they were enqueued`() async {
    let worker = Worker()
    let numbers = Journal<Int>()
    await worker.enqueue(
      { numbers.note(1) },
      job: { numbers.note(2) },
      { numbers.note(3) })
    await numbers.next(3)
    #expect(numbers.entries == [1, 2, 3])
  }

  @Test func `Checking the isolation elsewhere traps`() async {
    await #expect(processExitsWith: .failure) {
      QueueExecutor(label: "worker").checkIsolated()
    }
  }

  @Test func `Assuming the isolation on another executor's queue traps`() async {
    await #expect(processExitsWith: .failure) {
      let worker = Worker()
      await withCheckedContinuation { continuation in
        QueueExecutor(label: "other").async {
          _ = worker.assumeIsolated { $0.isOnExecutor }
          continuation.resume()
        }
      }
    }
  }

  @Test func `A job still queued when its actor is released runs and releases it`() async {
    let events = Journal<String>()
    let gate = DispatchSemaphore(value: 0)
    do {
      let worker = Worker { events.note("released") }
      await worker.enqueue({ gate.wait() }, job: { events.note("ran") }, {})
    }
    // The job alone keeps the actor, and the actor alone keeps the executor.
    gate.signal()
    await events.next(2)
    #expect(events.entries == ["ran", "released"])
  }
}

private actor Worker {
  nonisolated let executor = QueueExecutor(label: "worker")
  private let onRelease: @Sendable () -> Void

  init(onRelease: @escaping @Sendable () -> Void = {}) {
    self.onRelease = onRelease
  }

  deinit { onRelease() }

  nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }

  var isOnExecutor: Bool {
    executor.checkIsolated()
    return true
  }

  /// Enqueues work, a job of this actor, and work again.
  func enqueue(
    _ first: @escaping @Sendable () -> Void, job: @escaping @Sendable () -> Void,
    _ last: @escaping @Sendable () -> Void
  ) {
    executor.async(first)
    Task {
      precondition(isOnExecutor)
      job()
    }
    executor.async(last)
  }
}
