import Synchronization

/// The events on their way to an observer.
///
/// Whoever makes a change appends what there is to tell, while it holds the timer's lock, which keeps the order. Then,
/// without the lock, it calls for the delivery.
final class EventFeed: Sendable {
  static let capacity = 65_536

  private struct Waiter {
    let number: UInt64
    /// How many events are to have been delivered.
    let count: Int
    let consumer: WaitingConsumer
  }

  private struct State {
    var waiting: [TimerEvent] = []
    /// How many events were ever appended, and how many of them delivered.
    var appendedCount = 0
    var deliveredCount = 0
    var droppedCount = 0
    var isDelivering = false
    var waiters: [Waiter] = []
    var lastWaiter: UInt64 = 0

    mutating func makeNumber() -> UInt64 {
      lastWaiter += 1
      return lastWaiter
    }
  }

  private let observer: any TimerObserver
  private let monitor: (any ConsumerMonitor)?
  /// The observer's own, as it may block.
  private let executor: QueueExecutor
  /// Guards the events that wait, and those who wait for their delivery.
  private let state = Lock(State())

  init(to observer: any TimerObserver, label: String, noting monitor: (any ConsumerMonitor)?) {
    self.observer = observer
    self.monitor = monitor
    executor = QueueExecutor(label: label)
  }

  var droppedCount: Int { state.withLock(\.droppedCount) }

  /// Adds an event, unless there is no room. The caller holds what the event is made of, and calls for its
  /// delivery afterwards.
  func append(_ event: TimerEvent) {
    state.withLock { state in
      guard state.appendedCount - state.deliveredCount < Self.capacity else {
        state.droppedCount += 1
        return
      }
      state.waiting.append(event)
      state.appendedCount += 1
    }
  }

  // MARK: Delivering

  /// Has the events delivered that wait, unless that is under way. Not to be called under a lock.
  func callForDelivery() {
    let isToBegin = state.withLock { state in
      if state.isDelivering || state.waiting.isEmpty { return false }
      state.isDelivering = true
      return true
    }
    guard isToBegin else { return }
    monitor?.noteWorkBegan()
    executor.async { self.deliver() }
  }

  private func deliver() {
    while let batch = takeBatch() {
      for event in batch {
        observer.observe(event)
        for waiter in noteDelivered() { waiter.consumer.resume(noting: monitor) }
      }
    }
    monitor?.noteWorkEnded()
  }

  /// Takes out all that wait. Returns nil, and ends the delivery, if none does.
  private func takeBatch() -> [TimerEvent]? {
    state.withLock { state in
      state.isDelivering = !state.waiting.isEmpty
      guard state.isDelivering else { return nil }
      let batch = state.waiting
      state.waiting = []
      return batch
    }
  }

  /// Returns those whose wait is over.
  private func noteDelivered() -> [Waiter] {
    state.withLock { state in
      state.deliveredCount += 1
      guard !state.waiters.isEmpty else { return [] }
      let count = state.deliveredCount
      let waiters = state.waiters.filter { $0.count <= count }
      state.waiters.removeAll { $0.count <= count }
      return waiters
    }
  }

  /// Waits until the observer was told of everything that has happened by now, or the calling task is cancelled.
  func waitUntilDelivered() async {
    callForDelivery()
    let number = state.withLock { $0.makeNumber() }
    await withTaskCancellationHandler {
      await WaitingConsumer.suspend(noting: monitor) { consumer in
        state.withLock { state in
          // The handler below comes after the task is marked as cancelled, and takes the same lock.
          guard !Task.isCancelled, state.deliveredCount < state.appendedCount else { return false }
          state.waiters.append(Waiter(number: number, count: state.appendedCount, consumer: consumer))
          return true
        }
      }
    } onCancel: {
      giveUpWaiting(number)
    }
  }

  private func giveUpWaiting(_ number: UInt64) {
    let waiter = state.withLock { state in
      state.waiters.firstIndex { $0.number == number }.map { state.waiters.remove(at: $0) }
    }
    waiter?.consumer.resume(noting: monitor)
  }
}
