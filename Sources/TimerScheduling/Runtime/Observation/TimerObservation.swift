import Synchronization

/// Counts the transitions and ticks of a scheduler's timers, and passes them to its observer, if it has one.
/// `record` is called under the lock of the timer, so in order.
struct TimerObservation: ~Copyable, Sendable {
  let ticks = Atomic<Int>(0)
  let missed = Atomic<Int>(0)
  let failures = Atomic<Int>(0)
  let paused = Atomic<Int>(0)
  let feed: EventFeed?

  init(feed: EventFeed?) { self.feed = feed }

  func recordChange(from old: TimerState, to new: TimerState, of timer: TimerID, named name: String?) {
    if old == .paused { paused.subtract(1, ordering: .relaxed) }
    if new == .paused { paused.add(1, ordering: .relaxed) }
    switch new {
    case .scheduled: record(.resumed, of: timer, named: name)
    case .paused: record(.paused, of: timer, named: name)
    case .finished(let reason): record(.finished(reason), of: timer, named: name)
    }
  }

  /// Counts a tick that no listener had taken before, with the ticks taken and missed since the last such
  /// tick.
  func record(_ tick: TimerTick, _ count: (taken: Int, missed: Int), of timer: TimerID, named name: String?) {
    ticks.addSaturated(count.taken)
    if count.missed > 0 { missed.addSaturated(count.missed) }
    if feed == nil { return }
    var tick = tick
    tick.missedCount = count.missed
    record(.ticked(tick), of: timer, named: name)
  }

  func record(_ error: any Error, of timer: TimerID, named name: String?) {
    failures.addSaturated(1)
    record(.actionFailed(error), of: timer, named: name)
  }

  func record(_ kind: TimerEvent.Kind, of timer: TimerID, named name: String?) {
    feed?.append(TimerEvent(timer: timer, name: name, kind: kind))
  }
}

extension Atomic<Int> {
  /// Adds a number that isn't negative. At the greatest number the count stays there.
  package func addSaturated(_ number: Int) {
    var current = load(ordering: .relaxed)
    while true {
      let (sum, overflow) = current.addingReportingOverflow(number)
      let (exchanged, original) = weakCompareExchange(
        expected: current, desired: overflow ? .max : sum, ordering: .relaxed)
      if exchanged { return }
      current = original
    }
  }
}

/// The events on their way to an observer. A thread appends an event under the timer's lock, and calls for
/// the delivery afterwards, so an event comes after those that have caused it.
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
  /// A queue for this observer alone, which may block it.
  private let executor: QueueExecutor
  /// Guards the events. No other lock is taken while it is held.
  private let state = Lock(State())
  private let waiters: Waiters<Int>

  init(to observer: any TimerObserver, on executor: QueueExecutor, in virtual: (any VirtualTasks)?) {
    (self.observer, self.executor) = (observer, executor)
    waiters = Waiters(in: virtual)
  }

  var droppedCount: Int { state.withLock(\.droppedCount) }

  /// Adds an event, or counts it if there is no room. The caller holds the objects in the event.
  func append(_ event: TimerEvent) {
    state.withLock { state in
      let isFull = state.appendedCount - state.deliveredCount >= Self.capacity
      if isFull { return state.droppedCount += 1 }
      state.waiting.append(event)
      state.appendedCount += 1
    }
  }

  /// Schedules the delivery of waiting events. Must not be called under a lock.
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
        state.withLock { $0.deliveredCount += 1 }
      }
      let count = state.withLock(\.deliveredCount)
      waiters.resume { $0 <= count }
    }
  }

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
