import Synchronization
package import TimerScheduling
import TimerSchedulingFoundation

/// The part of a virtual clock that schedulers hold.
///
/// Schedulers don't hold the ``VirtualClock`` itself, so a test that drops it releases it. Then, or with its
/// body, the clock ends: its schedulers shut down.
package final class VirtualClockCore: Sendable {
  struct State: ~Copyable {
    var time: VirtualTime
    var schedulers: [SchedulerReference] = []
    /// The number of schedulers above which references of released ones are removed.
    var mostSchedulers = 16
    /// The schedulers whose timers have owners that must be checked, by the numbers of their executors.
    var owned: [UInt64: SchedulerReference] = [:]
    /// Whether the clock has ended.
    var hasEnded = false
    /// Messages that fail the test and haven't been reported yet.
    var failures: [String] = []
    var wakeupCount = 0
  }

  /// Guards the time and the events due in it. No other lock is taken while it is held.
  let state: WorldLock<State>
  let world: World
  /// The time, for threads that take no lock.
  let shown: ShownTime
  /// The task of its schedulers' work.
  let taskMaker: TaskMaker
  let settlingTimeout: Duration
  /// Prints a line.
  let report: @Sendable (String) -> Void
  /// Fails the test.
  private let failTest: @Sendable (String, TestLocation) -> Void
  private let stepPerReading: Interval
  private let lastNumber = Atomic<UInt64>(0)
  let settlingTimeoutCount = Atomic<Int>(0)
  /// The number of tasks that wait for a tick or a moment.
  let consumers = Atomic<Int>(0)
  /// The number of tasks that sleep.
  let sleepers = Atomic<Int>(0)

  init(
    in world: World, date: Date, settlingTimeout: Duration, stepPerReading: Duration,
    report: @escaping @Sendable (String) -> Void, fail: @escaping @Sendable (String, TestLocation) -> Void
  ) {
    self.world = world
    self.settlingTimeout = settlingTimeout
    self.report = report
    failTest = fail
    self.stepPerReading = Interval(stepPerReading)
    let time = VirtualTime(date: date)
    shown = time.shown
    taskMaker = TaskMaker(in: world)
    state = WorldLock(State(time: time))
    world.clockBegins(self)
  }

  package func read() -> ClockReading {
    state.withLock { state in
      if stepPerReading > .zero { state.time.pass(stepPerReading) }
      return state.time.now
    }
  }

  /// Returns a number greater than those returned before.
  func makeNumber() -> UInt64 { lastNumber.add(1, ordering: .relaxed).newValue }

  /// Ends the clock, with its test's hold on it or with its body. Its schedulers shut down, and what waits
  /// for it goes on: a sleep of Swift's own clocks in real time, with what is left of it.
  func end() {
    let ended = state.withLock { state -> (schedulers: [SchedulerReference], waits: VirtualTime.Waits)? in
      if state.hasEnded { return nil }
      state.hasEnded = true
      defer { (state.schedulers, state.owned) = ([], [:]) }
      return (state.schedulers, state.time.takeWaits())
    }
    guard let ended else { return }
    for reference in ended.schedulers { reference.scheduler?.abandon() }
    for sleep in ended.waits.sleeps { sleep.deliver(sleep.left) }
    for last in ended.waits.last { last.resume() }
    taskMaker.end()
  }

  // MARK: Delivering

  /// Delivers the first event that is due, or all ends of sleeps if nothing else is. Returns false if nothing
  /// is due.
  ///
  /// Schedulers are woken one after the other, so that their consumers don't race. If orders are explored,
  /// all that is due becomes ready at once.
  func deliverDue() -> Bool {
    var isDue = false
    while true {
      let (event, last) = state.withLock {
        state -> (VirtualTime.Event?, CheckedContinuation<Void, Never>?) in
        // If a wakeup comes next, it waits until the tasks that were woken are at rest.
        guard let event = state.time.takeDue(onlySleeps: isDue && !world.isExploring)
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
        world.endSleep { event.deliver(nil) }
      } else if world.isExploring {
        world.add(
          ReadyWork(
            kind: .block({ event.deliver(nil) }, taskMaker), member: nil, lane: event.scheduler, rank: .wakeup
          ))
      } else {
        taskMaker.perform { event.deliver(nil) }
        return true
      }
    }
  }

  // MARK: Sleeps

  /// Adds a sleep. At its end `wake` is called: with what is left of it if the clock ends before.
  func addSleep(_ key: UInt64, until deadline: Deadline, _ wake: @escaping VirtualTime.Delivery) {
    let event = VirtualTime.Event(
      timeline: .monotonic, deadline: deadline, kind: .sleep, scheduler: 0, deliver: wake)
    let left = state.withLock { state -> Duration? in
      if state.hasEnded { return (deadline - state.time.now.monotonic).duration }
      _ = state.time.set(event, for: key)
      return nil
    }
    if let left { wake(left) }
    // Since the wait was noted, the world may have found nothing due.
    if WorldThread.current?.world !== world { world.wake() }
  }

  /// Removes a sleep, and returns the function that wakes its task. Nil if it is over.
  func removeSleep(_ key: UInt64) -> VirtualTime.Delivery? {
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

  /// Returns a time of the clock as `now` shows it.
  func offset(at moment: Deadline) -> Duration { (moment - VirtualTime.beginning).duration }

  /// Returns when a deadline comes, as the end of a sentence.
  func describe(_ deadline: Deadline) -> String {
    deadline < .never ? " until \(state.withLock { $0.time.date(at: deadline) })" : " for ever"
  }

  /// Returns which timer ticks next, as the end of a clause.
  func describeNextTimer() -> String {
    let timers = state.withLock { $0.schedulers }.compactMap(\.scheduler).flatMap(\.snapshots)
    let next = timers.filter { $0.nextDate != nil }.min {
      $0.nextDate ?? .distantFuture < $1.nextDate ?? .distantFuture
    }
    guard let next, let date = next.nextDate else { return "" }
    return ": \(timerName(next.id.number, next.name)) is due at \(date)"
  }

  /// Returns when a timer ticks next, as the end of a clause.
  func describe(timer: UInt64) -> String {
    let date = state.withLock { $0.schedulers }.lazy.compactMap { $0.scheduler?.nextDate(ofTimer: timer) }
      .first
    return date.map { ", due at \($0)" } ?? ""
  }
}
