/// The deadlines on one of the two clocks, and the source that wakes the scheduler for them.
///
/// Belongs to the scheduler's isolation.
final class DeadlineLane {
  private let timeline: Timeline
  private var queue = TimingWheel<TimerRecord>()
  /// Made for the first wakeup, and with it the dispatch timer.
  private var source: (any WakeupSource)?
  private var target: WakeupTarget?
  /// The wakeup asked for, unless it was delivered.
  private var armed: Deadline?

  init(on timeline: Timeline) {
    self.timeline = timeline
  }

  deinit {
    // Only a scheduler that isn't held by its timers can be released before them. They are taken out, as the lane may
    // be released on the timer queue and then mustn't hold the last reference to one.
    if !queue.isEmpty { queue.removeAll().finishWithoutScheduler() }
  }

  // MARK: Deadlines

  var count: Int { queue.count }

  /// The records that are filed, in no particular order.
  var records: [TimerRecord] { queue.elements }

  func insert(
    _ record: TimerRecord, for filing: TimerRecord.Filing, at now: () -> Deadline
  ) -> TimingWheel<TimerRecord>.Handle {
    // Told of the time, the queue has less to move when the first of many entries is due.
    if queue.isEmpty { queue.start(at: now()) }
    return queue.insert(record, deadline: filing.deadline, latest: filing.latest)
  }

  func remove(_ handle: TimingWheel<TimerRecord>.Handle) {
    queue.remove(handle)
  }

  /// Removes and returns the first record that is due. One that is filed at ``Deadline/never`` never is.
  func popExpired(at now: Deadline) -> TimerRecord? {
    queue.popExpired(at: min(now, .last))
  }

  /// Empties the queue.
  func removeAll() -> [TimerRecord] {
    queue.removeAll()
  }

  /// When the scheduler has to be awake for the first of the deadlines. Nil if none of them ever comes.
  func nextWakeup() -> Deadline? {
    queue.nextWakeup().flatMap { $0 < .never ? $0 : nil }
  }

  // MARK: Wakeups

  /// Asks to be woken no later than `wakeup`, but after `now`, or not at all.
  ///
  /// The pass that asks has fired all that is due by `now`. So a wakeup is always for a later moment, and one that comes
  /// with nothing to do can't ask for itself again at the same moment.
  ///
  /// Re-arming takes 6 µs in Dispatch's thread. So an earlier wakeup that is still to come stands, though
  /// what it was for is gone: at worst there is one wakeup with nothing to do.
  func arm(for wakeup: Deadline?, at now: Deadline, of scheduler: TimerScheduler) {
    guard let wakeup = wakeup.map({ max($0, now + Interval(nanoseconds: 1)) }), wakeup < .never else {
      armed = nil
      source?.disarm()
      target?.scheduler = nil
      return
    }
    let source = source ?? makeSource(for: scheduler)
    self.source = source
    target?.scheduler = scheduler
    if let armed, armed > now, armed <= wakeup { return }
    armed = wakeup
    source.arm(at: wakeup)
  }

  /// Returns a source that wakes the scheduler on its queue.
  private func makeSource(for scheduler: TimerScheduler) -> any WakeupSource {
    if let keeper = scheduler.looseKeeper {
      return scheduler.clock.makeWakeupSource(on: timeline, executor: scheduler.executor) {
        [keeper, timeline] in keeper.scheduler?.assumeIsolated { $0.wake(on: timeline) }
      }
    }
    let target = WakeupTarget()
    self.target = target
    return scheduler.clock.makeWakeupSource(on: timeline, executor: scheduler.executor) {
      [target, timeline] in target.scheduler?.assumeIsolated { $0.wake(on: timeline) }
    }
  }

  func noteWakeup() {
    armed = nil
    source?.noteWakeup()
  }
}
