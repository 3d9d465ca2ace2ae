import Synchronization

/// The events on their way to an observer.
///
/// Whoever makes a change appends what there is to tell, while it holds the timer's lock, which keeps the order. Then,
/// without the lock, it calls for the delivery.
final class EventFeed: Sendable {
  static let capacity = 65_536

  private struct State {
    var waiting: [TimerEvent] = []
    var isDelivering = false
    var droppedCount = 0
    /// Tasks that wait until everything is delivered.
    var waiters: [WaitingConsumer] = []
  }

  private let observer: any TimerObserver
  private let monitor: (any ConsumerMonitor)?
  /// The observer's own, as it may block.
  private let executor: QueueExecutor
  /// Guards the events that wait, and those who wait for them.
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
      if state.waiting.count < Self.capacity {
        state.waiting.append(event)
      } else {
        state.droppedCount += 1
      }
    }
  }

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
    while true {
      let batch = state.withLock { state in
        let batch = state.waiting
        state.waiting = []
        state.isDelivering = !batch.isEmpty
        return batch
      }
      if batch.isEmpty { break }
      for event in batch { observer.observe(event) }
    }
    monitor?.noteWorkEnded()
    // Whoever has begun another delivery meanwhile sees to those who wait at its end.
    for waiter in takeWaiters() { waiter.resume(noting: monitor) }
  }

  private func takeWaiters() -> [WaitingConsumer] {
    state.withLock { state in
      if state.isDelivering { return [] }
      let waiters = state.waiters
      state.waiters = []
      return waiters
    }
  }

  /// Waits until the observer was told of everything that has happened by now.
  func waitUntilDelivered() async {
    callForDelivery()
    await WaitingConsumer.suspend(noting: monitor) { consumer in
      state.withLock { state in
        guard state.isDelivering else { return false }
        state.waiters.append(consumer)
        return true
      }
    }
  }
}
