import TimerScheduling
import TimerSchedulingFoundation

/// The time of a virtual clock, and the events that it has yet to deliver: wakeups of schedulers and ends of
/// sleeps.
///
/// Events come in the order of their moments on the monotonic clock. Those of one moment come by scheduler,
/// in the order in which schedulers were made, and then the sleeps.
///
/// - Complexity: Adding and taking an event is O(log n), replacing and removing one O(1) more on average, and
///   setting the wall clock O(n). Events that aren't due yet cost nothing.
struct VirtualTime: ~Copyable {
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

  /// The first time of the monotonic clock. It isn't zero, as if the machine had been running for a while.
  static let beginning = Deadline(nanoseconds: 1_000_000_000_000)

  private(set) var now: ClockReading { didSet { shown.set(now) } }
  /// The time as other threads read it.
  let shown: ShownTime
  /// The events with their moments, by their keys.
  private var events: [UInt64: (event: Event, moment: Deadline)] = [:]
  /// A binary heap. It may still name events that are gone or have another moment.
  private var heap: [Entry] = []
  /// Tasks that wait until nothing else is due at the present moment, by the numbers of their limits.
  private var last: [UInt64: CheckedContinuation<Void, Never>] = [:]

  /// The number of times an event was examined.
  private(set) var lookCount = 0

  init(date: Date) {
    now = ClockReading(monotonic: Self.beginning, wall: Deadline(orStop: date))
    shown = ShownTime(now)
  }

  /// Lets time pass without any events.
  mutating func pass(_ interval: Interval) {
    now.monotonic = now.monotonic + interval
    now.wall.nanoseconds = now.wall.nanoseconds.addingSaturated(interval.nanoseconds)
  }

  mutating func setWallClock(to date: Date) {
    now.wall = Deadline(orStop: date)
    fileAll()
  }

  /// Returns the date that the wall clock will show at a time of the monotonic clock.
  func date(at deadline: Deadline) -> Date { Date(now.wall + (deadline - now.monotonic)) }

  /// Whether there is nothing to wait for.
  var isIdle: Bool { events.isEmpty && last.isEmpty }

  /// The first moment at which something may be due.
  var nextMoment: Deadline? {
    mutating get {
      if !last.isEmpty { return now.monotonic }
      guard let first, first.moment < .never else { return nil }
      return max(first.moment, now.monotonic)
    }
  }

  /// Moves to the first moment at which something may be due.
  ///
  /// If there is none up to `target`, moves to `target` and returns false.
  mutating func moveToNextMoment(until target: Deadline) -> Bool {
    let next = nextMoment.flatMap { $0 <= target ? $0 : nil }
    pass(max(next ?? target, now.monotonic) - now.monotonic)
    return next != nil
  }

  // MARK: Events

  /// Replaces the event with a key, or removes it. Returns the event that was there.
  @discardableResult
  mutating func set(_ event: Event?, for key: UInt64) -> Event? {
    let old = events.removeValue(forKey: key)?.event
    if let event { file(event, key) }
    if heap.count > 2 * events.count + 64 { fileAll() }
    return old
  }

  func contains(_ key: UInt64) -> Bool { events[key] != nil }

  func count(of kind: Event.Kind) -> Int { events.values.count { $0.event.kind == kind } }

  /// The ends of all sleeps, in order.
  var sleepDeadlines: [Deadline] {
    events.values.filter { $0.event.kind == .sleep }.map(\.event.deadline).sorted()
  }

  /// Removes and returns the first event that is due. With `onlySleeps`, returns nil if it isn't the end of a
  /// sleep.
  mutating func takeDue(onlySleeps: Bool) -> Event? {
    guard let first, first.moment <= now.monotonic, first.moment < .never, !onlySleeps || first.rank == .max
    else {
      return nil
    }
    removeFirst()
    return events.removeValue(forKey: first.key)?.event
  }

  // MARK: The end of a moment

  mutating func addLast(_ number: UInt64, _ continuation: CheckedContinuation<Void, Never>) {
    last[number] = continuation
  }

  /// Removes and returns the task with the highest number of those that wait for the end of the moment.
  mutating func takeLast() -> CheckedContinuation<Void, Never>? {
    last.keys.max().flatMap { last.removeValue(forKey: $0) }
  }

  // MARK: The end of the clock

  /// What waits for the clock: sleeps with what is left of them, and tasks that wait for the end of the
  /// moment.
  typealias Waits = (
    sleeps: [(deliver: Delivery, left: Duration)], last: [CheckedContinuation<Void, Never>]
  )

  /// Removes all waits and events, as the clock ends.
  mutating func takeWaits() -> Waits {
    defer { last = [:] }
    let now = now.monotonic
    return (takeSleeps().map { ($0.deliver, max($0.deadline - now, .zero).duration) }, Array(last.values))
  }

  /// Removes and returns all sleeps.
  private mutating func takeSleeps() -> [Event] {
    let sleeps = events.filter { $0.value.event.kind == .sleep }
    for key in sleeps.keys { events[key] = nil }
    return sleeps.sorted { ($0.value.moment, $0.key) < ($1.value.moment, $1.key) }.map(\.value.event)
  }

  // MARK: The heap

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

  /// Computes all moments anew, as the wall clock was set.
  private mutating func fileAll() {
    heap.removeAll(keepingCapacity: true)
    for (key, (event, _)) in events { file(event, key) }
  }

  private mutating func file(_ event: Event, _ key: UInt64) {
    let entry = Entry(event, key, at: now)
    events[key] = (event, entry.moment)
    heap.append(entry)
    var index = heap.count - 1
    while index > 0, entry.comes(before: heap[(index - 1) / 2]) {
      heap.swapAt(index, (index - 1) / 2)
      index = (index - 1) / 2
    }
  }

  private mutating func removeFirst() {
    guard let moved = heap.popLast(), !heap.isEmpty else { return }
    heap[0] = moved
    var index = 0
    while 2 * index + 1 < heap.count {
      var child = 2 * index + 1
      if child + 1 < heap.count, heap[child + 1].comes(before: heap[child]) { child += 1 }
      if !heap[child].comes(before: moved) { break }
      heap.swapAt(index, child)
      index = child
    }
  }
}

extension Deadline {
  /// Stops the program if the wall clock can't show a date.
  static func requireShown(_ date: Date) {
    let wall = Deadline(orStop: date)
    precondition(
      wall > .past && wall < .last,
      "A clock's date must be between the years 1678 and 2262, but \(date) was given.")
  }

  /// Creates the deadline nearest to a caller's date, and stops the program if the date isn't a number.
  init(orStop date: Date) {
    precondition(
      !date.timeIntervalSinceReferenceDate.isNaN, "A clock's date must be a number, but NaN was given.")
    self.init(date)
  }
}
