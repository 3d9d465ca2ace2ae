/// A timer's name, unique among the timers of one owner or, without an owner, among those of the scheduler.
struct TimerName: Hashable, Sendable {
  let name: String
  let owner: ObjectIdentifier?
  /// Computed once, as it is needed to find the stripe and again inside the stripe.
  let hash: Int

  init(_ name: String, of owner: OwnerReference?) {
    self.name = name
    self.owner = owner.map { ObjectIdentifier($0) }
    var hasher = Hasher()
    hasher.combine(name)
    hasher.combine(self.owner)
    hash = hasher.finalize()
  }

  static func == (first: TimerName, second: TimerName) -> Bool {
    first.hash == second.hash && first.owner == second.owner && first.name == second.name
  }

  func hash(into hasher: inout Hasher) { hasher.combine(hash) }
}

/// The live timers by name.
///
/// The table is outside the actor, so that a name has its new timer when the call that assigns it returns. It is
/// striped by the names' hashes, so that threads wait for each other only if their timers' names share a stripe.
struct NameTable: ~Copyable, Sendable {
  // Not private, because the compiler (6.3.1) fails on a private type here.
  struct Names: StripeContent {
    var entries: [TimerName: TimerEntry] = [:]
  }

  /// The live timers that have names.
  private let names = Striped<Names>()

  /// Gives an entry its name, and ends the timer that had it.
  ///
  /// Both happen under the lock of the name's stripe, and ending also takes the old timer's lock. So a thread that
  /// finds the new timer by its name sees no tick of the old one.
  func assign(_ name: TimerName, to entry: TimerEntry) {
    let replaced = names.withStripe(ofKey: name.hash) { names in
      names.entries.updateValue(entry, forKey: name).map { Replaced(entry: $0, effects: $0.replace()) }
    }
    if let replaced { replaced.entry.perform(replaced.effects, onQueue: false) }
  }

  private struct Replaced: ~Copyable {
    let entry: TimerEntry
    let effects: TimerEffects
  }

  func entry(named name: TimerName) -> TimerEntry? {
    names.withStripeIfMade(ofKey: name.hash) { $0.entries[name] } ?? nil
  }

  /// Frees a name if `entry` still has it. The caller holds the entry, so this doesn't release it.
  func free(_ name: TimerName, of entry: TimerEntry) {
    names.withStripeIfMade(ofKey: name.hash) { names in
      guard let index = names.entries.index(forKey: name), names.entries[index].value === entry
      else { return }
      names.entries.remove(at: index)
      // Frees memory after many names were freed.
      if names.entries.isEmpty, names.entries.capacity > 256 { names.entries = [:] }
    }
  }

  var count: Int {
    var count = 0
    names.forEachStripe { count += $0.withLock(\.entries.count) }
    return count
  }
}
