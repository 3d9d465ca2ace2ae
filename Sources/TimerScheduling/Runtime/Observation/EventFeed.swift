/// The events on their way to an observer.
///
/// The thread that makes a change appends the event while it holds the timer's lock, and calls for the delivery
/// afterwards, without the lock. So the events of one timer are in order, and an event comes after those that have
/// caused it.
final class EventFeed: Sendable {
  static let capacity = 65_536

  private struct State {
    /// The events that no delivery has taken yet.
    var waiting: [TimerEvent] = []
    var appendedCount = 0
    var deliveredCount = 0
    var droppedCount = 0
    /// Whether a delivery was called for and hasn't finished.
    var isDelivering = false

    var isToDeliver: Bool { deliveredCount < appendedCount }
  }

  private let observer: any TimerObserver
  /// The observer's own queue, as the observer may block it.
  private let executor: QueueExecutor
  /// Guards the events. No other lock is taken while it is held.
  private let state = Lock(State())
  /// Tasks that wait until a number of events was delivered.
  private let waiters: Waiters<Int>

  init(to observer: any TimerObserver, label: String, on clock: any SchedulerClock) {
    self.observer = observer
    executor = clock.makeExecutor(label: label)
    waiters = Waiters(in: clock.world)
  }

  var droppedCount: Int { state.withLock(\.droppedCount) }

  /// Adds an event, unless there is no room. The caller holds the objects in the event, and calls for its delivery
  /// afterwards.
  func append(_ event: TimerEvent) {
    state.withLock { state in
      if state.appendedCount - state.deliveredCount < Self.capacity {
        state.waiting.append(event)
        state.appendedCount += 1
      } else {
        state.droppedCount += 1
      }
    }
  }

  /// Schedules the delivery of waiting events, unless one is under way. Must not be called under a lock.
  func callForDelivery() {
    let begins = state.withLock { state in
      if state.isDelivering || !state.isToDeliver { return false }
      state.isDelivering = true
      return true
    }
    if begins { executor.async { self.deliver() } }
  }

  private func deliver() {
    while let events = takeWaiting() {
      for event in events {
        observer.observe(event)
        let count = state.withLock { state in
          state.deliveredCount += 1
          return state.deliveredCount
        }
        // A task never waits for fewer events than a task that came before it.
        waiters.resumeFirst(while: { $0 <= count })
      }
    }
  }

  /// Takes the events that wait. If there are none, ends the delivery and returns nil.
  private func takeWaiting() -> [TimerEvent]? {
    state.withLock { state in
      state.isDelivering = !state.waiting.isEmpty
      defer { state.waiting = [] }
      return state.isDelivering ? state.waiting : nil
    }
  }

  /// Waits until the observer has received all events so far, or the calling task is cancelled.
  func waitUntilDelivered() async {
    callForDelivery()
    await waiters.wait(isCancellable: true) {
      state.withLock { $0.isToDeliver ? $0.appendedCount : nil }
    }
  }
}
