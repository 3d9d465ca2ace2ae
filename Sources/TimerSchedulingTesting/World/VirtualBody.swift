package import TimerScheduling

/// The body of `withVirtualClock`: while it runs, time moves by itself, and the sleeps of Swift's own clocks are
/// virtual.
final class VirtualBody: Sendable {
  let clock: VirtualClockCore
  let timeout: Duration
  private let limit: Duration
  /// Ends the call with an error.
  let fail: @Sendable (VirtualTimeError) -> Void
  /// The progress of the world at which nothing was due. Guarded by the lock of the world.
  @safe nonisolated(unsafe) private(set) var idleProgress: UInt64?

  init(
    on clock: VirtualClockCore, limit: Duration, timeout: Duration,
    fail: @escaping @Sendable (VirtualTimeError) -> Void
  ) {
    self.clock = clock
    self.limit = limit
    self.timeout = timeout
    self.fail = fail
  }

  /// Delivers the next thing that is due, or moves the clock to the next moment.
  func step() {
    let world = clock.clockWorld
    let progress = world.state.withLock { $0.progress }
    if clock.deliverDue() { return }
    clock.lookForOrphans()
    let end = VirtualTime.beginning + Interval(limit)
    let next = clock.state.withLock { state in
      let next = state.time.nextMoment
      if let next, next <= end { _ = state.time.moveToNextMoment(until: next) }
      return next
    }
    if let next, next <= end { return }
    world.state.withLock { _ in idleProgress = progress }
    if next != nil { fail(.limit(limit, waits: world.describeWaits())) }
  }

  /// Adds a sleep of the current task, with the delay that the runtime has computed from the real clock.
  func sleep(_ job: UnownedJob, for delay: Duration, sinceJobBegan time: Duration) {
    let delay = Interval.asked(leaving: delay, sinceJobBegan: time)
    let end = clock.read().monotonic + delay
    clock.waitBegins(for: .sleep(until: end))
    let key = clock.addSleep(until: end) { [world = clock.clockWorld] in
      world.add(ReadyWork(kind: .job(job), member: nil))
    }
    let member = clock.clockWorld.currentMember()
    clock.clockWorld.state.withLock { _ in member?.sleep = key }
  }
}

extension Interval {
  /// Returns the delay that a task has probably asked for, if so much of it was left by the real clock.
  ///
  /// The rest is shorter: by microseconds, and by more if the thread lost its processor just then. A sleep that is over
  /// already was one of a millisecond at least, or of zero, which is mostly over by less than a tenth of a millisecond.
  package static func asked(leaving rest: Duration, sinceJobBegan time: Duration) -> Interval {
    if rest <= .zero, rest > .microseconds(-100) || rest + time < .milliseconds(1) { return .zero }
    let lost = rest > .zero ? Swift.min(time, Swift.max(rest / 10, .milliseconds(1))) : time
    return roundest(from: Interval(rest), to: Interval(rest + lost + .microseconds(100)))
  }

  /// Returns the lowest multiple of a power of ten that lies between two intervals, for the highest power that has one.
  /// Without one above a tenth of a millisecond, returns the lower interval, rounded up to that.
  private static func roundest(from low: Interval, to high: Interval) -> Interval {
    let (low, high) = (Swift.max(low.nanoseconds, 1), Swift.max(high.nanoseconds, 0))
    let least: Int64 = 100_000
    if high <= least { return .zero }
    var power: Int64 = 1_000_000_000_000_000_000
    while power >= least {
      let rounded = (low - 1) / power * power
      if rounded <= high - power { return Interval(nanoseconds: rounded + power) }
      power /= 10
    }
    return Interval(nanoseconds: low.roundedUp(toMultipleOf: least))
  }
}

extension Int64 {
  fileprivate func roundedUp(toMultipleOf unit: Int64) -> Int64 {
    ((self - 1) / unit + 1).multipliedReportingOverflow(by: unit).partialValue
  }
}

/// The end of a body under virtual time that couldn't go on.
public struct VirtualTimeError: Error, Sendable, CustomStringConvertible {
  /// A text that names the tasks that wait, and what they wait for.
  public let description: String

  static func standstill(after timeout: Duration, waits: String?) -> VirtualTimeError {
    VirtualTimeError(
      description:
        "The body couldn't go on for \(timeout) of real time: \(waits ?? "nothing waits for the clock"). Time moves only while the body, each "
        + "run and each added task wait for the clock.")
  }

  static func limit(_ limit: Duration, waits: String?) -> VirtualTimeError {
    VirtualTimeError(
      description:
        "The body has taken more than \(limit) of virtual time: \(waits ?? "nothing waits for the clock").")
  }
}
