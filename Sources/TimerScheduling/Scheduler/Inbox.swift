/// Records that a scheduler is to look at, posted from any thread.
///
/// A lock and an append instead of a hop to the actor, which would take a thousand times as long.
struct Inbox: ~Copyable, Sendable {
  /// Guards the records posted since the scheduler last looked.
  private let records = Lock<[TimerRecord]>([])

  /// Returns true for the first record since ``takeAll()``: the scheduler is then to be called.
  func post(_ record: TimerRecord) -> Bool {
    records.withLock { records in
      records.append(record)
      return records.count == 1
    }
  }

  func takeAll() -> [TimerRecord] {
    records.withLock { records in
      defer { records = [] }
      return records
    }
  }
}
