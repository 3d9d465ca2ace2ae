import Synchronization
package import TimerScheduling
import TimerSchedulingFoundation

/// The part of a virtual clock that schedulers hold.
///
/// Schedulers don't hold the ``VirtualClock`` itself, so a test that drops it releases it. The clock then releases
/// the lifelines held here. A scheduler that a test still holds remains usable, but its time stands still.
package final class VirtualClockCore: Sendable {
  struct State: ~Copyable {
    var time: VirtualTime
    var schedulers: [SchedulerReference] = []
    /// The number of schedulers above which references of released ones are removed.
    var mostSchedulers = 16
    /// The schedulers whose timers have owners that must be checked, by the numbers of their executors.
    var owned: [UInt64: SchedulerReference] = [:]
    /// The lifelines of schedulers that have live timers.
    var held: [ObjectIdentifier: any AnyObject & Sendable] = [:]
    /// Whether the clock was released. Then no lifeline is held.
    var isAbandoned = false
    /// Messages that fail the test and haven't been reported yet.
    var failures: [String] = []
    var wakeupCount = 0
  }

  /// Guards the time and the events due in it. No other lock is taken while it is held.
  let state: WorldLock<State>
  let clockWorld: World
  let settlingTimeout: Duration
  /// Prints a line.
  let report: @Sendable (String) -> Void
  /// Fails the test.
  private let failTest: @Sendable (String, TestLocation) -> Void
  /// The longest real time that a task waits for a scheduler's runs while time stands still.
  let shutdownLimit: Duration
  /// The place of the call that has made the clock.
  let madeAt: TestLocation
  private let stepPerReading: Interval
  private let lastNumber = Atomic<UInt64>(0)
  let settlingTimeoutCount = Atomic<Int>(0)
  /// The number of tasks that wait for a tick or a moment.
  let consumerCount = Atomic<Int>(0)
  /// The number of tasks that sleep.
  let sleeperCount = Atomic<Int>(0)

  init(
    in world: World, date: Date, settlingTimeout: Duration, shutdownLimit: Duration, stepPerReading: Duration,
    madeAt: TestLocation, report: @escaping @Sendable (String) -> Void,
    fail: @escaping @Sendable (String, TestLocation) -> Void
  ) {
    clockWorld = world
    self.madeAt = madeAt
    self.settlingTimeout = settlingTimeout
    self.shutdownLimit = shutdownLimit
    self.report = report
    failTest = fail
    self.stepPerReading = Interval(stepPerReading)
    state = WorldLock(State(time: VirtualTime(date: date)))
    world.clockBegins()
    world.state.withLock { $0.heldClockCount += 1 }
  }

  deinit { clockWorld.clockEnded() }

  package func read() -> ClockReading {
    state.withLock { state in
      if stepPerReading > .zero { state.time.pass(stepPerReading) }
      return state.time.now
    }
  }

  /// Returns a number greater than those returned before.
  func makeNumber() -> UInt64 { lastNumber.add(1, ordering: .relaxed).newValue }

  /// Whether a test holds the clock.
  var isHeld: Bool { state.withLock { !$0.isAbandoned } }

  /// Releases the held lifelines. From now on none is held.
  func abandon() {
    clockWorld.state.withLock { $0.heldClockCount -= 1 }
    let held = state.withLock { state in
      state.isAbandoned = true
      let held = state.held
      state.held = [:]
      return held
    }
    // Released here, outside the lock, on the thread that drops the clock.
    withExtendedLifetime(held) {}
  }

  // MARK: Delivering

  /// Delivers the first event that is due, or all ends of sleeps if nothing else is. Returns false if nothing is due.
  ///
  /// Schedulers are woken one after the other, so that their consumers don't race. If other orders are tried, all that
  /// is due becomes ready at once.
  func deliverDue() -> Bool {
    var isDue = false
    while true {
      let (event, last) = state.withLock {
        state -> (VirtualEvents.Event?, CheckedContinuation<Void, Never>?) in
        // If a wakeup comes next, it waits until the tasks that were woken are at rest.
        guard let event = state.time.takeDue(onlySleeps: isDue && clockWorld.isOrdered)
        else { return (nil, isDue ? nil : state.time.takeLast()) }
        if event.kind == .wakeup { state.wakeupCount += 1 }
        return (event, nil)
      }
      if let last {
        last.resume()
        return true
      }
      guard let event else { return isDue }
      isDue = true
      if event.kind == .sleep {
        event.deliver()
      } else if clockWorld.isOrdered {
        noteSimultaneousEvents()
        event.deliver()
        return true
      } else {
        clockWorld.add(ReadyWork(kind: .block(event.deliver), member: nil, lane: event.scheduler))
      }
    }
  }

  /// Notes in an order of jobs that there is more to be delivered at this moment.
  private func noteSimultaneousEvents() {
    guard clockWorld.isExploring, state.withLock({ $0.time.nextMoment == $0.time.now.monotonic }) else {
      return
    }
    clockWorld.state.withLock { $0.order?.isIncomplete = true }
  }

  // MARK: Sleeps

  /// Adds a sleep, and returns its key. At its end `wake` is called.
  @discardableResult
  func addSleep(until deadline: Deadline, _ wake: @escaping @Sendable () -> Void) -> UInt64 {
    let key = makeNumber()
    addSleep(key, until: deadline, wake)
    return key
  }

  func addSleep(_ key: UInt64, until deadline: Deadline, _ wake: @escaping @Sendable () -> Void) {
    let event = VirtualEvents.Event(
      timeline: .monotonic, deadline: deadline, kind: .sleep, scheduler: 0, deliver: wake)
    state.withLock { _ = $0.time.set(event, for: key) }
  }

  /// Removes a sleep, and returns the function that wakes its task. Nil if it is over.
  func removeSleep(_ key: UInt64) -> (@Sendable () -> Void)? {
    state.withLock { $0.time.set(nil, for: key) }?.deliver
  }

  // MARK: Messages

  /// Fails the test later, on the task that moves the clock or waits for others.
  func fail(_ line: String) { state.withLock { $0.failures.append("VirtualClock: \(line)") } }

  /// Fails the test with the messages kept so far. It is called on the test's task.
  func reportFailures(at location: TestLocation) {
    let failures = state.withLock { state -> [String] in
      defer { state.failures = [] }
      return state.failures
    }
    for failure in failures { failTest(failure, location) }
  }

  /// The time after which a line names a wait for consumers or sleepers.
  var lookTimeout: Duration { settlingTimeout > .zero ? settlingTimeout : .seconds(1) }

  /// Returns when a deadline comes, as the end of a sentence.
  func describe(_ deadline: Deadline) -> String {
    deadline < .never ? " until \(state.withLock { $0.time.date(at: deadline) })" : " for ever"
  }

  /// Returns when a timer ticks next, as the end of a clause.
  func describe(timer: UInt64) -> String {
    let date = state.withLock { $0.schedulers }.lazy.compactMap { $0.scheduler?.nextDate(ofTimer: timer) }
      .first
    return date.map { ", due at \($0)" } ?? ""
  }
}
