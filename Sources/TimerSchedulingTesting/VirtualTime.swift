import TimerScheduling

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What a clock shows, and what is to happen when it shows something else.
struct VirtualTime {
  /// A wakeup that a scheduler has asked for.
  struct Wakeup: Sendable {
    let timeline: Timeline
    let deadline: Deadline
    let deliver: @Sendable () -> Void
    /// Its scheduler's place in the order in which schedulers were made.
    let number: UInt64

    func isDue(at now: ClockReading) -> Bool { deadline <= now[timeline] && deadline < .never }

    /// When it is due by the monotonic clock, which for what has passed is now. Nil if that is beyond the clock's range.
    func moment(at now: ClockReading) -> Deadline? {
      if isDue(at: now) { return now.monotonic }
      let moment = now.monotonic + (deadline - now[timeline])
      return moment < .never ? moment : nil
    }
  }

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
  private var wakeups: [ObjectIdentifier: Wakeup] = [:]
  private var sleeps: [UInt64: Bed] = [:]
  private var wheel = TimingWheel<UInt64>()

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
    let sleep = wheel.nextWakeup().map { max($0, now.monotonic) }
    let wakeup = wakeups.values.lazy.compactMap { [now] in $0.moment(at: now) }.min()
    return [sleep, wakeup].compactMap(\.self).min()
  }

  // MARK: Wakeups

  var armedCount: Int { wakeups.count }

  /// Takes out a wakeup that is due. To deliver it may make others unnecessary.
  mutating func takeDueWakeup() -> Wakeup? {
    let due = wakeups.lazy.filter { [now] in $0.value.isDue(at: now) }
    // In the same order in every run.
    guard let (source, wakeup) = due.min(by: { $0.value.number < $1.value.number }) else { return nil }
    wakeups[source] = nil
    wakeupCount += 1
    return wakeup
  }

  /// Asks for a wakeup in place of the one that `source` has asked for, or for none.
  mutating func set(_ wakeup: Wakeup?, for source: ObjectIdentifier) {
    wakeups[source] = wakeup
  }

  // MARK: Sleeps

  var sleeperCount: Int { sleeps.count }

  /// When sleeps end, by the monotonic clock, in this order.
  var sleepDeadlines: [Deadline] { sleeps.values.map(\.deadline).sorted() }

  /// Whether there is nothing to wait for.
  var isIdle: Bool { wakeups.isEmpty && sleeps.isEmpty }

  mutating func add(_ sleep: Sleep, number: UInt64, until deadline: Deadline) {
    let handle = wheel.insert(number, deadline: deadline, latest: deadline)
    sleeps[number] = Bed(sleep: sleep, deadline: deadline, handle: handle)
  }

  /// Takes out a sleep that is over.
  mutating func takeDueSleep() -> Sleep? {
    wheel.popExpired(at: now.monotonic).flatMap { sleeps.removeValue(forKey: $0)?.sleep }
  }

  /// Ends a sleep before its time.
  mutating func removeSleep(_ number: UInt64) -> Sleep? {
    guard let bed = sleeps.removeValue(forKey: number) else { return nil }
    wheel.remove(bed.handle)
    return bed.sleep
  }
}
