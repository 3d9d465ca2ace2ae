import Synchronization

/// The events on their way to an observer.
///
/// The thread that makes a change appends the event while it holds the timer's lock, and calls for the delivery
/// afterwards, without the lock.
///
/// Events wait in stripes by their timers, so that threads that change different timers seldom wait for each other.
/// Each event has a number, and events are delivered in the order of their numbers. Those of one timer are numbered
/// under its lock. If an event of one timer causes an event of another, the second is numbered later. So causes come
/// before effects.
final class EventFeed: Sendable {
  static let capacity = 65_536

  private struct Stripe: StripeContent {
    var entries: [(number: Int, event: TimerEvent)] = []
  }

  private let observer: any TimerObserver
  /// The observer's own queue, as the observer may block it.
  private let executor: QueueExecutor
  /// The events that wait for delivery.
  private let stripes = Striped<Stripe>()
  /// The number of events appended so far, and so the number of the next one.
  private let appendedCount = Atomic<Int>(0)
  /// The number of events delivered so far. Only the delivery writes it.
  private let deliveredCount = Atomic<Int>(0)
  private let dropped = Atomic<Int>(0)
  /// Whether a delivery was called for and hasn't finished.
  private let isDelivering = Atomic<Bool>(false)
  /// Tasks that wait until a number of events was delivered.
  private let waiters: Waiters<Int>

  init(to observer: any TimerObserver, label: String, on clock: any SchedulerClock) {
    self.observer = observer
    executor = clock.makeExecutor(label: label)
    waiters = Waiters(in: clock.world)
  }

  var droppedCount: Int { dropped.load(ordering: .relaxed) }

  /// Adds an event, unless there is no room. The caller holds the objects in the event, and calls for its delivery
  /// afterwards.
  func append(_ event: TimerEvent) {
    stripes.withStripe(ofKey: Int(truncatingIfNeeded: event.timer.number)) { stripe in
      if let number = makeNumber() {
        stripe.entries.append((number, event))
      } else {
        dropped.add(1, ordering: .relaxed)
      }
    }
  }

  /// Returns the number of the next event, or nil if there is no room.
  ///
  /// Called under the lock of a stripe. The event is added to that stripe before the lock is released.
  private func makeNumber() -> Int? {
    var count = appendedCount.load(ordering: .relaxed)
    while count - deliveredCount.load(ordering: .relaxed) < Self.capacity {
      let (isMade, current) = appendedCount.weakCompareExchange(
        expected: count, desired: count + 1, ordering: .sequentiallyConsistent)
      if isMade { return count }
      count = current
    }
    return nil
  }

  // MARK: Delivering

  private var isToDeliver: Bool {
    deliveredCount.load(ordering: .sequentiallyConsistent)
      < appendedCount.load(ordering: .sequentiallyConsistent)
  }

  /// Schedules the delivery of waiting events, unless one is under way. Must not be called under a lock.
  ///
  /// No call is lost. A thread raises `appendedCount` and then reads `isDelivering`. A delivery that finds nothing left
  /// clears `isDelivering` and then reads `appendedCount`. The four accesses are sequentially consistent, so the thread
  /// finds `isDelivering` cleared or the delivery finds the new count. The one that then sets `isDelivering` delivers,
  /// or schedules the delivery.
  func callForDelivery() {
    guard isToDeliver, !isDelivering.load(ordering: .sequentiallyConsistent), beginDelivery() else { return }
    executor.async { self.deliver() }
  }

  private func beginDelivery() -> Bool {
    !isDelivering.exchange(true, ordering: .sequentiallyConsistent)
  }

  /// Delivers until nothing is left. The executor's queue runs one delivery after the other.
  private func deliver() {
    var order = Resequencer<TimerEvent>(from: deliveredCount.load(ordering: .relaxed))
    repeat {
      while isToDeliver {
        stripes.forEachStripe { stripe in
          let entries = stripe.withLock { stripe in
            defer { stripe.entries = [] }
            return stripe.entries
          }
          for entry in entries { order.insert(entry.event, number: entry.number) }
        }
        // An event whose number is missing here was added to a stripe that was already visited. Its number was drawn
        // under the lock of that stripe, so the event is there when that lock is taken again.
        for event in order.takeNext() { deliver(event) }
      }
      isDelivering.store(false, ordering: .sequentiallyConsistent)
    } while isToDeliver && beginDelivery()
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
      isToDeliver ? appendedCount.load(ordering: .sequentiallyConsistent) : nil
    }
  }
}

/// Sorts numbered elements by their numbers, without gaps.
package struct Resequencer<Element> {
  private var nextNumber: Int
  /// The elements by their distance from the next number; nil for an element that hasn't come yet.
  private var elements: [Element?] = []

  package init(from nextNumber: Int) { self.nextNumber = nextNumber }

  /// Adds the element with a number. Each number is used once.
  package mutating func insert(_ element: Element, number: Int) {
    let position = number - nextNumber
    while elements.count <= position { elements.append(nil) }
    elements[position] = element
  }

  /// Removes and returns the next elements, up to the first that hasn't come yet.
  package mutating func takeNext() -> [Element] {
    let next = elements.prefix { $0 != nil }.compactMap(\.self)
    elements.removeFirst(next.count)
    nextNumber += next.count
    return next
  }
}

extension Resequencer: Sendable where Element: Sendable {}
