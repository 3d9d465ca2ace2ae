import TimerScheduling

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The time of a virtual clock, and the events that are due at later times.
struct VirtualTime: ~Copyable {
  /// A sleeping task.
  struct Sleep: Sendable {
    let task: TaskIdentity
    let continuation: CheckedContinuation<Void, Never>
  }

  private struct PendingSleep {
    let sleep: Sleep
    let deadline: Deadline
    let index: UInt32
  }

  /// The first time of the monotonic clock. It isn't zero, as if the machine had been running for a while.
  static let beginning = Deadline(nanoseconds: 1_000_000_000_000)

  private(set) var now: ClockReading
  private(set) var wakeupCount = 0
  private var wakeups = VirtualWakeups()
  private var sleeps: [UInt64: PendingSleep] = [:]
  private var queue = DeadlineQueue<UInt64>()
  /// Tasks that wait until nothing else is due at the present moment.
  private var last: [Sleep] = []

  init(date: Date) {
    now = ClockReading(monotonic: Self.beginning, wall: Deadline(orStop: date))
  }

  // MARK: The time

  /// Lets time pass without any events.
  mutating func pass(_ interval: Interval) {
    now.monotonic = now.monotonic + interval
    now.wall.nanoseconds = now.wall.nanoseconds.addingSaturated(interval.nanoseconds)
  }

  mutating func setWallClock(to date: Date) {
    now.wall = Deadline(orStop: date)
  }

  /// Moves to the first moment at which something may be due.
  ///
  /// If there is none up to `target`, moves to `target` and returns false.
  mutating func moveToNextMoment(until target: Deadline) -> Bool {
    let next = nextMoment().flatMap { $0 <= target ? $0 : nil }
    pass(max(next ?? target, now.monotonic) - now.monotonic)
    return next != nil
  }

  private mutating func nextMoment() -> Deadline? {
    last.isEmpty ? nextDueMoment() : now.monotonic
  }

  private mutating func nextDueMoment() -> Deadline? {
    let sleep = queue.nextWakeup(on: .monotonic).map { max($0, now.monotonic) }
    return [sleep, wakeups.nextMoment(at: now)].compactMap(\.self).min()
  }

  // MARK: Wakeups

  var armedCount: Int { wakeups.armedCount }

  /// Removes and returns a due wakeup. Delivering it may make others unnecessary.
  mutating func takeDueWakeup() -> VirtualWakeups.Wakeup? {
    guard let wakeup = wakeups.takeDue(at: now) else { return nil }
    if wakeup.isArmed { wakeupCount += 1 }
    return wakeup
  }

  /// Replaces the wakeup that `source` has requested, or removes it.
  mutating func set(_ wakeup: VirtualWakeups.Wakeup?, for source: ObjectIdentifier) {
    wakeups.set(wakeup, for: source)
  }

  /// Adds a wakeup, unless `source` has one.
  mutating func addIfNone(_ wakeup: VirtualWakeups.Wakeup, for source: ObjectIdentifier) {
    wakeups.addIfNone(wakeup, for: source)
  }

  var lookCount: Int { wakeups.lookCount }

  // MARK: Sleeps

  var sleeperCount: Int { sleeps.count }

  /// The ends of all sleeps on the monotonic clock, in order.
  var sleepDeadlines: [Deadline] { sleeps.values.map(\.deadline).sorted() }

  /// Whether there is nothing to wait for.
  var isIdle: Bool { wakeups.isEmpty && sleeps.isEmpty && last.isEmpty }

  /// Returns the first end of a sleep of these tasks.
  func end(ofSleepIn tasks: Set<TaskIdentity>) -> Deadline? {
    sleeps.values.lazy.filter { tasks.contains($0.sleep.task) }.map(\.deadline).min()
  }

  mutating func add(_ sleep: Sleep, number: UInt64, until deadline: Deadline) {
    let filing = Filing(timeline: .monotonic, deadline: deadline, latest: deadline)
    sleeps[number] = PendingSleep(sleep: sleep, deadline: deadline, index: queue.insert(number, filing))
  }

  /// Removes and returns a sleep that is over.
  mutating func takeDueSleep() -> Sleep? {
    queue.popExpired(on: .monotonic, at: now.monotonic).flatMap { sleeps.removeValue(forKey: $0)?.sleep }
  }

  /// Adds a task that waits until nothing else is due at the present moment.
  mutating func addLast(_ sleep: Sleep) { last.append(sleep) }

  /// Removes and returns the tasks that wait until nothing else is due at the present moment, if nothing is.
  mutating func takeLast() -> [Sleep] {
    if last.isEmpty || nextDueMoment().map({ $0 <= now.monotonic }) ?? false { return [] }
    defer { last = [] }
    return last
  }

  /// Removes a sleep before its end.
  mutating func removeSleep(_ number: UInt64) -> Sleep? {
    guard let pending = sleeps.removeValue(forKey: number) else { return nil }
    queue.remove(pending.index)
    return pending.sleep
  }
}

extension Deadline {
  /// Creates the deadline nearest to a caller's date, and stops the program if the date isn't a number.
  init(orStop date: Date) {
    precondition(
      !date.timeIntervalSinceReferenceDate.isNaN, "A clock's date must be a number, but NaN was given.")
    self.init(date)
  }
}
