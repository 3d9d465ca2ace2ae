import TimerScheduling

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What a clock shows, and what is to happen when it shows something else.
struct VirtualTime: ~Copyable {
  /// A task that sleeps.
  struct Sleep: Sendable {
    let task: TaskIdentity
    let continuation: CheckedContinuation<Void, Never>
  }

  private struct Bed {
    let sleep: Sleep
    let deadline: Deadline
    let handle: TimingWheel<UInt64>.Handle
  }

  /// What the monotonic clock shows first: not zero, as no machine was started just now.
  static let beginning = Deadline(nanoseconds: 1_000_000_000_000)

  private(set) var now: ClockReading
  private(set) var wakeupCount = 0
  private var wakeups = VirtualWakeups()
  private var sleeps: [UInt64: Bed] = [:]
  private var wheel = TimingWheel<UInt64>()
  /// Tasks that wait until nothing else is due at this moment.
  private var last: [Sleep] = []

  init(date: Date) {
    now = ClockReading(monotonic: Self.beginning, wall: Deadline(date))
  }

  // MARK: The time

  /// Lets time pass at which nothing happens.
  mutating func pass(_ interval: Interval) {
    now.monotonic = now.monotonic + interval
    now.wall = now.wall + interval
  }

  mutating func setWallClock(to date: Date) {
    now.wall = Deadline(date)
  }

  /// Moves on to the first moment at which something may be due.
  ///
  /// Returns false, and moves on to `target`, if there is none before.
  mutating func moveToNextMoment(until target: Deadline) -> Bool {
    let next = nextMoment().flatMap { $0 <= target ? $0 : nil }
    pass(max(next ?? target, now.monotonic) - now.monotonic)
    return next != nil
  }

  private mutating func nextMoment() -> Deadline? {
    last.isEmpty ? nextDueMoment() : now.monotonic
  }

  private mutating func nextDueMoment() -> Deadline? {
    let sleep = wheel.nextWakeup().map { max($0, now.monotonic) }
    return [sleep, wakeups.nextMoment(at: now)].compactMap(\.self).min()
  }

  // MARK: Wakeups

  var armedCount: Int { wakeups.count }

  /// Takes out a wakeup that is due. To deliver it may make others unnecessary.
  mutating func takeDueWakeup() -> VirtualWakeups.Wakeup? {
    guard let wakeup = wakeups.takeDue(at: now) else { return nil }
    wakeupCount += 1
    return wakeup
  }

  /// Asks for a wakeup in place of the one that `source` has asked for, or for none.
  mutating func set(_ wakeup: VirtualWakeups.Wakeup?, for source: ObjectIdentifier) {
    wakeups.set(wakeup, for: source)
  }

  var lookCount: Int { wakeups.lookCount }

  // MARK: Sleeps

  var sleeperCount: Int { sleeps.count }

  /// When sleeps end, by the monotonic clock, in this order.
  var sleepDeadlines: [Deadline] { sleeps.values.map(\.deadline).sorted() }

  /// Whether there is nothing to wait for.
  var isIdle: Bool { wakeups.isEmpty && sleeps.isEmpty && last.isEmpty }

  mutating func add(_ sleep: Sleep, number: UInt64, until deadline: Deadline) {
    let handle = wheel.insert(number, deadline: deadline, latest: deadline)
    sleeps[number] = Bed(sleep: sleep, deadline: deadline, handle: handle)
  }

  /// Takes out a sleep that is over.
  mutating func takeDueSleep() -> Sleep? {
    wheel.popExpired(at: now.monotonic).flatMap { sleeps.removeValue(forKey: $0)?.sleep }
  }

  /// Adds a task that waits until nothing else is due at this moment.
  mutating func addLast(_ sleep: Sleep) { last.append(sleep) }

  /// Takes out the tasks that wait until nothing else is due at this moment, if nothing is.
  mutating func takeLast() -> [Sleep] {
    if last.isEmpty || nextDueMoment().map({ $0 <= now.monotonic }) ?? false { return [] }
    defer { last = [] }
    return last
  }

  /// Ends a sleep before its time.
  mutating func removeSleep(_ number: UInt64) -> Sleep? {
    guard let bed = sleeps.removeValue(forKey: number) else { return nil }
    wheel.remove(bed.handle)
    return bed.sleep
  }
}
