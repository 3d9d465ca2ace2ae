import Synchronization

/// The owners of a scheduler's live timers, and which timers each has.
struct OwnerTable: ~Copyable, Sendable {
  struct Entry {
    let reference: OwnerReference
    var timers: [UInt64: TimerRecord] = [:]
  }

  /// Guards the owners, by their addresses.
  private let entries = Lock<[ObjectIdentifier: Entry]>([:])
  /// How many of them don't tell of their own release.
  private let watchedCount = Atomic<Int>(0)

  var isEmpty: Bool { entries.withLock(\.isEmpty) }

  /// Whether there are owners that are to be looked for.
  var hasWatched: Bool { watchedCount.load(ordering: .relaxed) > 0 }

  /// Enters a timer that `make` makes for the reference of `owner`.
  ///
  /// Returns the timers, too, of an object that was at the same address before and is gone.
  func enter(
    ownedBy owner: some AnyObject & Sendable, _ make: (OwnerReference) -> TimerRecord
  ) -> (TimerRecord, orphans: [TimerRecord]) {
    let address = ObjectIdentifier(owner)
    let fresh = OwnerReference(owner)
    let result = entries.withLock { entries -> (TimerRecord, [TimerRecord]) in
      var orphans: [TimerRecord] = []
      // The caller holds the owner, so that this can't be its last reference.
      if let entry = entries[address], entry.reference.isGone {
        orphans = Array(entry.timers.values)
        remove(address, from: &entries)
      }
      if entries[address] == nil {
        entries[address] = Entry(reference: fresh)
        if fresh.isWatched { watchedCount.add(1, ordering: .relaxed) }
      }
      let record = make(entries[address]?.reference ?? fresh)
      entries[address]?.timers[record.id] = record
      return (record, orphans)
    }
    withExtendedLifetime(owner) {}
    return result
  }

  /// Takes out a timer that has finished. The caller holds it, so it isn't released here.
  func leave(_ record: TimerRecord) {
    guard let reference = record.owner else { return }
    entries.withLock { entries in
      guard entries[reference.address]?.reference === reference else { return }
      entries[reference.address]?.timers[record.id] = nil
      if entries[reference.address]?.timers.isEmpty == true { remove(reference.address, from: &entries) }
    }
  }

  private func remove(_ address: ObjectIdentifier, from entries: inout [ObjectIdentifier: Entry]) {
    let entry = entries.removeValue(forKey: address)
    if entry?.reference.isWatched == true { watchedCount.subtract(1, ordering: .relaxed) }
  }

  /// The reference that stands for `owner`, if it has timers.
  func reference(for owner: some AnyObject & Sendable) -> OwnerReference? {
    timers(of: owner, \.reference)
  }

  /// The timers of `owner`.
  func timers(of owner: some AnyObject & Sendable) -> [TimerRecord] {
    timers(of: owner) { Array($0.timers.values) } ?? []
  }

  private func timers<Result: Sendable>(
    of owner: some AnyObject & Sendable, _ body: (Entry) -> Result
  ) -> Result? {
    let result = entries.withLock { entries -> Result? in
      guard let entry = entries[ObjectIdentifier(owner)], !entry.reference.isGone else { return nil }
      return body(entry)
    }
    withExtendedLifetime(owner) {}
    return result
  }

  /// The timers of the owner at an address, which is being released.
  func timers(ofOwnerAt address: ObjectIdentifier) -> [TimerRecord] {
    entries.withLock { entries in entries[address].map { Array($0.timers.values) } ?? [] }
  }

  /// The timers whose owners are gone. To look may release an owner: not to be done on the timer queue.
  func orphans() -> [TimerRecord] {
    let references = entries.withLock { $0.values.map(\.reference).filter(\.isWatched) }
    let gone = references.filter(\.isGone)
    guard !gone.isEmpty else { return [] }
    return entries.withLock { entries in
      gone.flatMap { reference -> [TimerRecord] in
        guard let entry = entries[reference.address], entry.reference === reference else { return [] }
        return Array(entry.timers.values)
      }
    }
  }
}
