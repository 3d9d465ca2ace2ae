import TimerScheduling

/// The events that a virtual clock has yet to deliver: wakeups of schedulers and ends of sleeps.
///
/// They come in the order of their moments on the monotonic clock. Those of one moment come by scheduler, in
/// the order in which schedulers were made, and then the sleeps.
///
/// - Complexity: Adding and taking an event is O(log n), replacing and removing one O(1) more on average, and
///   setting the wall clock O(n). Events that aren't due yet cost nothing.
struct VirtualEvents: ~Copyable {
  /// Delivers an event. With a duration, the clock has ended, and so much is left until it would have been
  /// due.
  typealias Delivery = @Sendable (_ left: Duration?) -> Void

  struct Event: Sendable {
    enum Kind: Sendable { case wakeup, pass, sleep }

    let timeline: Timeline
    let deadline: Deadline
    let kind: Kind
    /// The number of its scheduler.
    let scheduler: UInt64
    let deliver: Delivery
  }

  /// The place of an event in the order.
  private struct Entry {
    let moment: Deadline
    let rank: UInt64
    let key: UInt64

    init(_ event: Event, _ key: UInt64, at now: ClockReading) {
      let time = now[event.timeline]
      // A deadline at the end of the clock's range never comes. At that end, others may still be due.
      moment =
        event.deadline == .never
        ? .never
        : event.deadline > time ? now.monotonic + (event.deadline - time) : min(now.monotonic, .last)
      rank = event.kind == .sleep ? .max : event.scheduler * 2 + (event.timeline == .wall ? 1 : 0)
      self.key = key
    }

    func comes(before other: Entry) -> Bool { (moment, rank, key) < (other.moment, other.rank, other.key) }
  }

  /// The events with their moments, by their keys.
  private var events: [UInt64: (event: Event, moment: Deadline)] = [:]
  /// A binary heap. It may still name events that are gone or have another moment.
  private var heap: [Entry] = []

  /// The number of times an event was examined.
  private(set) var lookCount = 0

  var isEmpty: Bool { events.isEmpty }

  func count(of kind: Event.Kind) -> Int { events.values.count { $0.event.kind == kind } }

  /// The ends of all sleeps, in order.
  var sleepDeadlines: [Deadline] {
    events.values.filter { $0.event.kind == .sleep }.map(\.event.deadline).sorted()
  }

  /// Removes and returns all sleeps.
  mutating func takeSleeps() -> [Event] {
    let sleeps = events.filter { $0.value.event.kind == .sleep }
    for key in sleeps.keys { events[key] = nil }
    return sleeps.sorted { ($0.value.moment, $0.key) < ($1.value.moment, $1.key) }.map(\.value.event)
  }

  func contains(_ key: UInt64) -> Bool { events[key] != nil }

  /// Replaces the event with a key, or removes it. Returns the event that was there.
  @discardableResult
  mutating func set(_ event: Event?, for key: UInt64, at now: ClockReading) -> Event? {
    let old = events.removeValue(forKey: key)?.event
    if let event { file(Entry(event, key, at: now), event) }
    if heap.count > 2 * events.count + 64 { fileAll(at: now) }
    return old
  }

  /// Computes all moments anew, as the wall clock was set.
  mutating func fileAll(at now: ClockReading) {
    heap.removeAll(keepingCapacity: true)
    for (key, (event, _)) in events { file(Entry(event, key, at: now), event) }
  }

  /// The first moment at which an event is due.
  var nextMoment: Deadline? {
    mutating get { first.flatMap { $0.moment < .never ? $0.moment : nil } }
  }

  /// Removes and returns the first event that is due. With `onlySleeps`, returns nil if it isn't the end of a
  /// sleep.
  mutating func takeDue(at now: ClockReading, onlySleeps: Bool) -> Event? {
    guard let first, first.moment <= now.monotonic, first.moment < .never, !onlySleeps || first.rank == .max
    else {
      return nil
    }
    removeFirst()
    return events.removeValue(forKey: first.key)?.event
  }

  /// The first entry whose event is still there.
  private var first: Entry? {
    mutating get {
      while let first = heap.first {
        lookCount += 1
        if events[first.key]?.moment == first.moment { return first }
        removeFirst()
      }
      return nil
    }
  }

  // MARK: The heap

  private mutating func file(_ entry: Entry, _ event: Event) {
    events[entry.key] = (event, entry.moment)
    heap.append(entry)
    var index = heap.count - 1
    while index > 0, entry.comes(before: heap[(index - 1) / 2]) {
      heap.swapAt(index, (index - 1) / 2)
      index = (index - 1) / 2
    }
  }

  private mutating func removeFirst() {
    guard let last = heap.popLast(), !heap.isEmpty else { return }
    heap[0] = last
    var index = 0
    while 2 * index + 1 < heap.count {
      var child = 2 * index + 1
      if child + 1 < heap.count, heap[child + 1].comes(before: heap[child]) { child += 1 }
      if !heap[child].comes(before: last) { break }
      heap.swapAt(index, child)
      index = child
    }
  }
}
