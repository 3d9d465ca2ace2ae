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

  /// Gives a record its name and returns the timer that had it, which the caller ends.
  func assign(_ name: TimerName, to record: TimerRecord) -> TimerRecord? {
    records.withLock { $0.updateValue(record, forKey: name) }
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
