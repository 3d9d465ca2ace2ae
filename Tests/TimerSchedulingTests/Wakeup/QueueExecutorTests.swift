import Dispatch
import TestSupport
import Testing
import TimerScheduling

@Suite(.tags(.threads), .limited) struct QueueExecutorTests {
  @Test func `An actor's jobs run where its executor says they do`() async {
    let clerk = Clerk()
    #expect(await clerk.isOnExecutor)
  }

  @Test func `Work passed to the executor is isolated to its actor`() async {
    let clerk = Clerk()
    let isOnExecutor = await withCheckedContinuation { continuation in
      clerk.executor.async {
        continuation.resume(returning: clerk.assumeIsolated { $0.isOnExecutor })
      }
    }
    #expect(isOnExecutor)
  }

  @Test func `Work and jobs run in the order in which they were enqueued`() async {
    let clerk = Clerk()
    let numbers = Journal<Int>()
    await clerk.enqueue(
      { numbers.note(1) },
      job: { numbers.note(2) },
      { numbers.note(3) })
    await numbers.next(3)
    #expect(numbers.entries == [1, 2, 3])
  }

  // MARK: Elsewhere

  @Test func `Checking the isolation elsewhere traps`() async {
    await #expect(processExitsWith: .failure) {
      QueueExecutor(label: "clerk").checkIsolated()
    }
  }

  @Test func `Assuming the isolation on another executor's queue traps`() async {
    await #expect(processExitsWith: .failure) {
      let clerk = Clerk()
      await withCheckedContinuation { continuation in
        QueueExecutor(label: "other").async {
          _ = clerk.assumeIsolated { $0.isOnExecutor }
          continuation.resume()
        }
      }
    }
  }

  // MARK: Release

  @Test func `A job still queued when its actor is released runs and releases it`() async {
    let events = Journal<String>()
    let gate = DispatchSemaphore(value: 0)
    do {
      let clerk = Clerk { events.note("released") }
      await clerk.enqueue({ gate.wait() }, job: { events.note("ran") }, {})
    }
    // The job alone keeps the actor, and the actor alone keeps the executor.
    gate.signal()
    await events.next(2)
    #expect(events.entries == ["ran", "released"])
  }
}

private actor Clerk {
  nonisolated let executor = QueueExecutor(label: "clerk")
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
