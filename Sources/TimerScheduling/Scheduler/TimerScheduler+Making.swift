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
    makeTimer(schedule, name, lifetime, action, onError, hold) { make in make(nil) }
  }

  /// Makes a timer that ends with `owner`.
  nonisolated func makeTimer<Hold>(
    on schedule: TimerSchedule, name: String?, owner: some AnyObject & Sendable,
    lifetime: TimerRecord.Lifetime, action: TimerAction? = nil, onError: ActionErrorBehavior = .keepTicking,
    hold: (TimerRecord) -> Hold
  ) -> Hold {
    (owner as? TimerOwner)?.note(self)
    return makeTimer(schedule, name, lifetime, action, onError, hold) { make in
      let (record, orphans) = owners.enter(ownedBy: owner, make)
      for orphan in orphans { orphan.finish(.ownerReleased) }
      return record
    }
  }

  /// Makes a timer, which `enter` has made for the reference of its owner.
  private nonisolated func makeTimer<Hold>(
    _ schedule: TimerSchedule, _ name: String?, _ lifetime: TimerRecord.Lifetime, _ action: TimerAction?,
    _ onError: ActionErrorBehavior, _ hold: (TimerRecord) -> Hold,
    enter: ((OwnerReference?) -> TimerRecord) -> TimerRecord
  ) -> Hold {
    let id = Self.lastID.add(1, ordering: .relaxed).newValue
    let record: TimerRecord
    if let pending = pendingTimer(on: schedule) {
      record = enter { owner in
        TimerRecord(
          id: id, name: name, owner: owner, lifetime: lifetime, keeper: self,
          cell: TimerCell(pending, action: action, onError: onError))
      }
    } else {
      let reading = clock.read()
      // Asks the schedule's rule, before any lock is taken.
      let plan = plan(schedule, at: reading)
      record = enter { owner in
        TimerRecord(
          id: id, name: name, owner: owner, lifetime: lifetime, keeper: self,
          cell: TimerCell(plan, at: reading, action: action, onError: onError))
      }
    }
    let held = hold(record)
    start(record)
    return held
  }

  private nonisolated func start(_ record: TimerRecord) {
    if let name = record.name { names.assign(TimerName(name, of: record.owner), to: record) }
    record.start()
  }
}
