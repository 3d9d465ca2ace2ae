import Synchronization

/// The events on their way to an observer.
///
/// The thread that makes a change appends the event while it holds the timer's lock, and calls for the delivery
/// afterwards, without the lock. So the events of one timer are in order, and an event comes after those that caused
/// it.
final class EventFeed: Sendable {
  static let capacity = 65_536

  private struct Queue {
    var events: [TimerEvent] = []
    /// The number of events appended so far.
    var appendedCount = 0
    var droppedCount = 0
    /// Whether a delivery was called for and hasn't finished.
    var isDelivering = false
  }

  private let observer: any TimerObserver
  private let monitor: (any ConsumerMonitor)?
  /// The observer's own queue, as the observer may block it.
  private let executor: QueueExecutor
  /// Guards the events that wait for delivery. This lock is taken after all others.
  private let queue = Lock(Queue())
  /// The number of events delivered so far. Only the delivery writes it.
  private let deliveredCount = Atomic<Int>(0)
  /// Tasks that wait until a number of events was delivered.
  private let waiters: Waiters<Int>

  init(to observer: any TimerObserver, label: String, noting monitor: (any ConsumerMonitor)?) {
    self.observer = observer
    self.monitor = monitor
    executor = QueueExecutor(label: label)
    waiters = Waiters(noting: monitor)
  }

  var droppedCount: Int { queue.withLock(\.droppedCount) }

  /// Adds an event, unless there is no room. The caller holds the objects in the event, and calls for its delivery
  /// afterwards.
  func append(_ event: TimerEvent) {
    queue.withLock { queue in
      if queue.appendedCount - deliveredCount.load(ordering: .relaxed) < Self.capacity {
        queue.events.append(event)
        queue.appendedCount += 1
      } else {
        queue.droppedCount += 1
      }
    }
  }

  // MARK: Delivering

  /// Schedules the delivery of waiting events, unless one is under way. Must not be called under a lock.
  func callForDelivery() {
    let begins = queue.withLock { queue in
      guard !queue.events.isEmpty, !queue.isDelivering else { return false }
      queue.isDelivering = true
      return true
    }
    guard begins else { return }
    monitor?.workBegan()
    executor.async { self.deliver() }
  }

  /// Delivers until nothing is left.
  private func deliver() {
    while let events = takeWaiting() {
      for event in events { deliver(event) }
    }
    monitor?.workEnded()
  }

  /// Removes and returns the waiting events. Ends the delivery and returns nil if there are none.
  private func takeWaiting() -> [TimerEvent]? {
    queue.withLock { queue in
      guard !queue.events.isEmpty else {
        queue.isDelivering = false
        return nil
      }
      defer { queue.events = [] }
      return queue.events
    }
  }

  private func deliver(_ event: TimerEvent) {
    observer.observe(event)
    let count = deliveredCount.wrappingAdd(1, ordering: .sequentiallyConsistent).newValue
    // A task never waits for fewer events than a task that came before it.
    waiters.resumeFirst(while: { $0 <= count })
  }

  // MARK: Waiting

  /// Waits until the observer has received all events so far, or the calling task is cancelled.
  func waitUntilDelivered() async {
    callForDelivery()
    await waiters.wait(isCancellable: true) {
      let count = queue.withLock(\.appendedCount)
      return deliveredCount.load(ordering: .sequentiallyConsistent) < count ? count : nil
    }
  }
}
