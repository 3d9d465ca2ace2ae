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
    // Asks the schedule's rule, before any lock is taken.
    let origin = origin(of: schedule, with: action)
    let record = enter { owner in
      TimerRecord(
        id: id, badge: .badge(name: name, owner: owner), lifetime: lifetime, keeper: looseKeeper ?? self,
        cell: TimerCell(origin, action: action, onError: onError))
    }
    let held = hold(record)
    start(record)
    return held
  }

  private nonisolated func origin(
    of schedule: TimerSchedule, with action: TimerAction?
  ) -> TimerCell.Origin {
    if action == nil || action?.plain != nil, let pending = pendingTimer(on: schedule) {
      return .pending(pending)
    }
    let reading = clock.read()
    return .inFull(plan(schedule, at: reading), at: reading)
  }

  private nonisolated func start(_ record: TimerRecord) {
    if let name = record.name { names.assign(TimerName(name, of: record.owner), to: record) }
    record.start()
  }
}
