/// Some of the owners of a scheduler's live timers, and which timers each has.
struct OwnerStripe: StripeContent {
  private struct Entry {
    let reference: OwnerReference
    /// Where the reference is among the watched ones, if it is one of them.
    var watchedPosition: Int?
    var timers = UnorderedList<TimerRecord>()
  }

  /// The owners that have live timers, by their addresses.
  private var entries: [ObjectIdentifier: Entry] = [:]
  /// The references of those that don't tell of their own release.
  private var watched = UnorderedList<OwnerReference>()

  var isEmpty: Bool { entries.isEmpty }
  var watchedCount: Int { watched.count }

  func reference(at address: ObjectIdentifier) -> OwnerReference? { entries[address]?.reference }

  // MARK: Entering and leaving

  /// Enters a timer, made by `makeRecord`, of the object at an address, which the caller holds.
  ///
  /// Returns the timers, too, of an object that was at the same address before and is gone.
  mutating func enter(
    at address: ObjectIdentifier, _ makeReference: () -> OwnerReference,
    _ makeRecord: (OwnerReference) -> TimerRecord
  ) -> (record: TimerRecord, orphans: [TimerRecord]) {
    var orphans: [TimerRecord] = []
    if let index = entries.index(forKey: address) {
      let reference = entries.values[index].reference
      // The caller holds the object, so this can't release it.
      if !reference.isGone {
        let record = makeRecord(reference)
        record.ownerPosition = entries.values[index].timers.append(record)
        return (record, [])
      }
      orphans = remove(at: index)
    }
    let reference = makeReference()
    let record = makeRecord(reference)
    var entry = Entry(reference: reference)
    record.ownerPosition = entry.timers.append(record)
    if reference.isWatched { entry.watchedPosition = watched.append(reference) }
    entries[address] = entry
    return (record, orphans)
  }

  /// Removes a timer, and its owner after the last one.
  mutating func leave(_ record: TimerRecord, of reference: OwnerReference) {
    let position = record.ownerPosition
    guard let index = index(of: reference), entries.values[index].timers[position] === record else { return }
    if let moved = entries.values[index].timers.remove(at: position) { moved.ownerPosition = position }
    if entries.values[index].timers.isEmpty { remove(at: index) }
  }

  /// Removes an owner, and returns its timers, which don't leave any more.
  mutating func remove(_ reference: OwnerReference) -> [TimerRecord] {
    index(of: reference).map { remove(at: $0) } ?? []
  }

  private typealias Index = Dictionary<ObjectIdentifier, Entry>.Index

  private func index(of reference: OwnerReference) -> Index? {
    entries.index(forKey: reference.address).flatMap { entries.values[$0].reference === reference ? $0 : nil }
  }

  @discardableResult
  private mutating func remove(at index: Index) -> [TimerRecord] {
    let entry = entries.remove(at: index).value
    if let position = entry.watchedPosition, let moved = watched.remove(at: position) {
      entries[moved.address]?.watchedPosition = position
    }
    // Gives memory back once many owners are gone.
    if entries.isEmpty, entries.capacity > 256 { self = OwnerStripe() }
    return entry.timers.elements
  }

  // MARK: Visiting

  /// Returns the next timers of an owner. Ends the walk if the owner has no timers any more.
  func nextTimers(
    of reference: OwnerReference, in walk: inout UnorderedList<TimerRecord>.Walk
  ) -> [TimerRecord] {
    guard let index = index(of: reference) else {
      walk.end()
      return []
    }
    return entries.values[index].timers.nextChunk(of: &walk)
  }

  /// Returns the next references of those that don't tell of their own release.
  func nextWatched(in walk: inout UnorderedList<OwnerReference>.Walk) -> [OwnerReference] {
    watched.nextChunk(of: &walk)
  }
}
