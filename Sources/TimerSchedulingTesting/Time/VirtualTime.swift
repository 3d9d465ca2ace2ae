import TimerScheduling
import TimerSchedulingFoundation

/// The time of a virtual clock, and the events that are due at later times.
struct VirtualTime: ~Copyable {
  /// The first time of the monotonic clock. It isn't zero, as if the machine had been running for a while.
  static let beginning = Deadline(nanoseconds: 1_000_000_000_000)

  private(set) var now: ClockReading { didSet { shown.set(now) } }
  /// The time as other threads read it.
  let shown: ShownTime
  private(set) var events = VirtualEvents()
  /// Tasks that wait until nothing else is due at the present moment, by the numbers of their limits.
  private var last: [UInt64: CheckedContinuation<Void, Never>] = [:]

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
    events.fileAll(at: now)
  }

  /// Returns the date that the wall clock will show at a time of the monotonic clock.
  func date(at deadline: Deadline) -> Date { Date(now.wall + (deadline - now.monotonic)) }

  /// Whether there is nothing to wait for.
  var isIdle: Bool { events.isEmpty && last.isEmpty }

  /// The first moment at which something may be due.
  var nextMoment: Deadline? {
    mutating get { last.isEmpty ? events.nextMoment.map { max($0, now.monotonic) } : now.monotonic }
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
  mutating func set(_ event: VirtualEvents.Event?, for key: UInt64) -> VirtualEvents.Event? {
    events.set(event, for: key, at: now)
  }

  /// Removes and returns the first event that is due. With `onlySleeps`, returns nil if it isn't the end of a
  /// sleep.
  mutating func takeDue(onlySleeps: Bool) -> VirtualEvents.Event? {
    events.takeDue(at: now, onlySleeps: onlySleeps)
  }

  // MARK: The end of a moment

  mutating func addLast(_ number: UInt64, _ continuation: CheckedContinuation<Void, Never>) {
    last[number] = continuation
  }

  /// What waits for the clock: sleeps with what is left of them, and tasks that wait for the end of the
  /// moment.
  typealias Waits = (
    sleeps: [(deliver: VirtualEvents.Delivery, left: Duration)], last: [CheckedContinuation<Void, Never>]
  )

  /// Removes all waits and events, as the clock ends.
  mutating func takeWaits() -> Waits {
    defer { last = [:] }
    let now = now.monotonic
    return (
      events.takeSleeps().map { ($0.deliver, max($0.deadline - now, .zero).duration) }, Array(last.values)
    )
  }

  /// Removes and returns the task with the highest number of those that wait for the end of the moment.
  mutating func takeLast() -> CheckedContinuation<Void, Never>? {
    last.keys.max().flatMap { last.removeValue(forKey: $0) }
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
