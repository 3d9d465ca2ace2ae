/// The deadlines on one of the two clocks, and the source that wakes the scheduler for them.
///
/// Belongs to the scheduler's isolation.
final class DeadlineLane {
  private var queue = TimingWheel<TimerRecord>()
  private let source: any WakeupSource
  private let target: WakeupTarget
  /// The wakeup asked for, unless it was delivered.
  private var armed: Deadline?

  init(source: any WakeupSource, target: WakeupTarget) {
    self.source = source
    self.target = target
  }

  // MARK: Deadlines

  var count: Int { queue.count }

  /// The records that are filed, in no particular order.
  var records: [TimerRecord] { queue.elements }

  func insert(_ record: TimerRecord, for filing: TimerRecord.Filing) -> TimingWheel<TimerRecord>.Handle {
    queue.insert(record, deadline: filing.deadline, latest: filing.latest)
  }

  func remove(_ handle: TimingWheel<TimerRecord>.Handle) {
    queue.remove(handle)
  }

  func popExpired(at now: Deadline) -> TimerRecord? {
    queue.popExpired(at: now)
  }

  /// Empties the queue.
  func removeAll() -> [TimerRecord] {
    queue.removeAll()
  }

  /// When the scheduler has to be awake for the first of the deadlines.
  func nextWakeup() -> Deadline? {
    queue.nextWakeup()
  }

  // MARK: Wakeups

  /// Asks to be woken no later than `wakeup`, or not at all.
  ///
  /// Re-arming takes 6 µs in Dispatch's thread. So an earlier wakeup that is still to come stands, though
  /// what it was for is gone: at worst there is one wakeup with nothing to do.
  func arm(for wakeup: Deadline?, of scheduler: TimerScheduler, at now: Deadline) {
    guard let wakeup else {
      armed = nil
      source.disarm()
      target.scheduler = nil
      return
    }
    target.scheduler = scheduler
    if let armed, armed > now, armed <= wakeup { return }
    armed = wakeup
    source.arm(at: wakeup)
  }

  func noteWakeup() {
    armed = nil
    source.noteWakeup()
  }
}
