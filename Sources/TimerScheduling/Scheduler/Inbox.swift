/// Records that a scheduler is to look at, posted from any thread.
///
/// A lock and an append instead of a hop to the actor, which would take a thousand times as long. To wake the
/// scheduler's thread for each of many records would take ten times as long as the rest. So a scheduler that has just
/// looked is called to look again a millisecond later, unless something is due before.
struct Inbox: ~Copyable, Sendable {
  /// What the poster of a record is to do.
  enum Call {
    /// The scheduler looks soon enough.
    case none
    /// The scheduler is to look at once.
    case now
    /// The scheduler is to look after ``Inbox/patience``.
    case later
  }

  /// How long a record waits that isn't urgent.
  static let patience = Interval(nanoseconds: 1_000_000)

  struct Posted {
    var records: [TimerRecord] = []
    /// When the scheduler is to look at them, or nil while it hasn't been called.
    var look: Deadline?
    /// When it was to look last.
    var lastLook = Deadline.past

    mutating func call(before due: Deadline, at now: () -> Deadline) -> Call {
      if let look {
        guard due < look + patience else { return .none }
        guard look > .past else { return .none }
        self.look = .past
        return .now
      }
      let now = now()
      let next = lastLook + patience
      guard now < next, due >= next + patience else {
        lastLook = now
        look = .past
        return .now
      }
      lastLook = next
      look = next
      return .later
    }
  }

  /// Guards the records posted since the scheduler last looked.
  private let posted = Lock(Posted())

  /// Adds a record that is due at `due`, or not before anything if that is ``Deadline/never``.
  func post(_ record: TimerRecord, due: Deadline, at now: () -> Deadline) -> Call {
    posted.withLock { posted in
      posted.records.append(record)
      return posted.call(before: due, at: now)
    }
  }

  var isEmpty: Bool { posted.withLock(\.records.isEmpty) }

  /// Takes out all records. The next one calls the scheduler anew.
  func takeAll() -> [TimerRecord] {
    posted.withLock { posted in
      posted.look = nil
      let records = posted.records
      posted.records = []
      // As many are likely to come again.
      posted.records.reserveCapacity(min(records.count, 1024))
      return records
    }
  }
}
