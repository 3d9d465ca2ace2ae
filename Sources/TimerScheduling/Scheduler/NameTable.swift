/// Which timer has which name.
///
/// Kept outside the actor, so that a name has changed hands when the call that takes it returns.
struct NameTable: ~Copyable, Sendable {
  /// Guards the live timers that have names.
  private let records = Lock<[String: TimerRecord]>([:])

  /// Gives `name` to `record` and returns the timer that had it, which the caller ends.
  func assign(_ name: String, to record: TimerRecord) -> TimerRecord? {
    records.withLock { $0.updateValue(record, forKey: name) }
  }

  /// Frees `name` if `record` still has it. The caller holds the record, so it isn't released here.
  func free(_ name: String, of record: TimerRecord) {
    records.withLock { records in
      if records[name] === record { records[name] = nil }
    }
  }

  var count: Int { records.withLock(\.count) }
}
