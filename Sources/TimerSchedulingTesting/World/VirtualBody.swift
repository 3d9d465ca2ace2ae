import TimerScheduling

/// The body of `withVirtualClock`: while it runs, time moves by itself, and Swift's own clocks are virtual.
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
    let world = clock.world
    let progress = world.state.withLock { $0.progress }
    if clock.deliverDue() { return }
    clock.lookForOrphans()
    let end = VirtualTime.beginning + Interval(limit)
    let next = clock.state.withLock { state in
      let next = state.time.nextMoment
      if let next, next <= end { _ = state.time.moveToNextMoment(until: next) }
      return next
    }
    if let next, next <= end { return world.state.withLock { $0.timeMoves() } }
    world.state.withLock { _ in idleProgress = progress }
    if next != nil { fail(.limit(limit, waits: world.describeWaits())) }
  }
}

extension World {
  /// A sleep shorter than this is for nothing: its task only lets others go on.
  private static var shortestSleep: Duration { .microseconds(1) }

  /// Takes a job that is about to be enqueued after a delay: the end of a sleep of the calling task by one of
  /// Swift's own clocks, if that is virtual.
  static func sleep(_ job: UnownedJob, for delay: Duration) -> Bool {
    guard hasBody, let world = maker?.world, world.isOfBody, let member = world.currentMember(),
      let clock = world.state.withLock({ $0.body?.clock })
    else { return false }
    let isShort = delay < shortestSleep
    if isShort, delay <= .zero || world.state.withLock({ _ in member.onlyYields }) {
      world.add(ReadyWork(kind: .block({ Runtime.run(job) }, nil), member: member, isYield: true))
      return true
    }
    // The runtime computes some delays by floating-point numbers. An interval is the nearest number of
    // nanoseconds.
    let end = clock.read().monotonic + Interval(delay)
    let yieldCount = world.state.withLock { _ in isShort ? member.yieldCount + 1 : 0 }
    let key = clock.makeNumber()
    // The sleep is noted first. Another thread may end it by a cancellation before it is added.
    world.note(.sleep(until: end), of: clock, by: member, sleep: Member.Sleep(clock: clock, key: key))
    clock.addSleep(key, until: end) { left in
      world.waitEnded(of: member, sleep: key)
      if let left { return Executors.enqueue(job, after: left) }
      world.add(ReadyWork(kind: .job(job), member: isShort ? member : nil))
      if isShort { world.state.withLock { _ in member.yieldCount = yieldCount } }
    }
    if !world.state.withLock({ _ in member.sleep?.key == key }) { clock.removeSleep(key)?(nil) }
    return true
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
        + "run and each added task wait for something that time may bring.")
  }

  static func limit(_ limit: Duration, waits: String?) -> VirtualTimeError {
    VirtualTimeError(
      description:
        "The body has taken more than \(limit) of virtual time: \(waits ?? "nothing waits for the clock").")
  }

  static func deadlock(_ chain: String) -> VirtualTimeError {
    VirtualTimeError(description: "The body can't go on, as tasks are in a deadlock: \(chain).")
  }

  static func endlessMoment(_ line: String, waits: String?) -> VirtualTimeError {
    VirtualTimeError(description: "\(line) Meanwhile \(waits ?? "nothing waits for the clock").")
  }
}
