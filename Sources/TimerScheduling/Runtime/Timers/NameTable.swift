/// A timer's name, unique among the timers of one owner or, without an owner, among those of the scheduler.
struct TimerName: Hashable, Sendable {
  let name: String
  let owner: ObjectIdentifier?

  init(_ name: String, of owner: OwnerReference?) {
    self.name = name
    self.owner = owner.map { ObjectIdentifier($0) }
  }
}

/// The live timers by name.
struct NameTable: ~Copyable, Sendable {
  private let entries = Lock<[TimerName: TimerEntry]>([:])

  /// Gives an entry its name, and ends the timer that had it.
  ///
  /// Both happen under the lock of the names, and ending also takes the old timer's lock. So a thread that
  /// finds the new timer by its name sees no tick of the old one.
  func assign(_ name: TimerName, to entry: TimerEntry) {
    let replaced = entries.withLock { entries in
      entries.updateValue(entry, forKey: name).map { TimerEntry.Changed(result: $0, effects: $0.replace()) }
    }
    if let replaced { replaced.result.perform(replaced.effects, onQueue: false) }
  }

  func entry(named name: TimerName) -> TimerEntry? { entries.withLock { $0[name] } }

  /// Frees a name if `entry` still has it. The caller holds the entry, so this doesn't release it.
  func free(_ name: TimerName, of entry: TimerEntry) {
    entries.withLock { entries in
      guard let index = entries.index(forKey: name), entries[index].value === entry else { return }
      entries.remove(at: index)
      // Frees memory after many names were freed.
      if entries.isEmpty, entries.capacity > 256 { entries = [:] }
    }
  }

  var count: Int { entries.withLock(\.count) }
}
