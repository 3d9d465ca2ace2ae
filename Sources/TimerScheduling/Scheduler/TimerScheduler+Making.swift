import Synchronization

extension TimerScheduler {
  /// Makes a timer, has it held by what `hold` returns, and posts it to the inbox. A timer that has its name is
  /// ended first.
  ///
  /// It is held before anybody else can find it, so that it can't end with another's hold.
  nonisolated func makeTimer<Hold>(
    on schedule: TimerSchedule, name: String?, lifetime: TimerRecord.Lifetime, action: TimerAction? = nil,
    onError: ActionErrorBehavior = .keepTicking, hold: (TimerRecord) -> Hold
  ) -> Hold {
    let id = Self.newID()
    let reading = clock.read()
    let record = TimerRecord(
      id: id, name: name, owner: nil, lifetime: lifetime, keeper: self,
      plan: plan(schedule, for: id, at: reading), at: reading, action: action, onError: onError)
    let held = hold(record)
    start(record)
    return held
  }

  /// Makes a timer that ends with `owner`.
  nonisolated func makeTimer<Hold>(
    on schedule: TimerSchedule, name: String?, owner: some AnyObject & Sendable,
    lifetime: TimerRecord.Lifetime, action: TimerAction? = nil, onError: ActionErrorBehavior = .keepTicking,
    hold: (TimerRecord) -> Hold
  ) -> Hold {
    (owner as? TimerOwner)?.note(self)
    let id = Self.newID()
    let reading = clock.read()
    // Asks the schedule's rule, before any lock is taken.
    let plan = plan(schedule, for: id, at: reading)
    let (record, orphans) = owners.enter(ownedBy: owner) { reference in
      TimerRecord(
        id: id, name: name, owner: reference, lifetime: lifetime, keeper: self, plan: plan, at: reading,
        action: action, onError: onError)
    }
    for orphan in orphans { orphan.finish(.ownerReleased) }
    let held = hold(record)
    start(record)
    return held
  }

  private static func newID() -> UInt64 {
    lastID.add(1, ordering: .relaxed).newValue
  }

  private nonisolated func start(_ record: TimerRecord) {
    if let name = record.name { names.assign(TimerName(name, of: record.owner), to: record) }
    record.start()
  }
}
