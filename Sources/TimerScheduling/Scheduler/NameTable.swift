/// A timer's name, which is unique among those of one owner or, without one, of the scheduler.
struct TimerName: Hashable, Sendable {
  let name: String
  let owner: ObjectIdentifier?

  init(_ name: String, of owner: OwnerReference?) {
    self.name = name
    self.owner = owner.map { ObjectIdentifier($0) }
  }
}

/// Which timer has which name.
///
/// Kept outside the actor, so that a name has changed hands when the call that takes it returns.
struct NameTable: ~Copyable, Sendable {
  /// Guards the live timers that have names.
  private let records = Lock<[TimerName: TimerRecord]>([:])

  /// Gives a record its name, and ends the timer that had it.
  ///
  /// In one step, though that takes a second lock: whoever comes after this finds no tick of the old timer.
  func assign(_ name: TimerName, to record: TimerRecord) {
    let replaced = records.withLock { records in
      records.updateValue(record, forKey: name).map { Replaced(record: $0, followUp: $0.replace()) }
    }
    if let replaced { replaced.record.perform(replaced.followUp, onQueue: false) }
  }

  private struct Replaced: ~Copyable {
    let record: TimerRecord
    let followUp: FollowUp
  }

  func record(named name: TimerName) -> TimerRecord? {
    records.withLock { $0[name] }
  }

  /// Frees a name if `record` still has it. The caller holds the record, so it isn't released here.
  func free(_ name: TimerName, of record: TimerRecord) {
    records.withLock { records in
      if records[name] === record { records[name] = nil }
    }
  }

  var count: Int { records.withLock(\.count) }
}
