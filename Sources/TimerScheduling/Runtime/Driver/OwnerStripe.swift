/// Some of the owners of a driver's live timers, and which timers each has.
struct OwnerStripe: StripeContent {
  private struct Owned {
    let reference: OwnerReference
    /// Where the reference is among the watched ones, if it is one of them.
    var watchedPosition: Int?
    var timers = UnorderedList<TimerEntry>()
  }

  /// The owners that have live timers, by their addresses.
  private var owners: [ObjectIdentifier: Owned] = [:]
  /// The references of those that don't tell of their own release.
  private var watched = UnorderedList<OwnerReference>()

  var isEmpty: Bool { owners.isEmpty }
  var watchedCount: Int { watched.count }

  func reference(at address: ObjectIdentifier) -> OwnerReference? { owners[address]?.reference }

  // MARK: Entering and leaving

  /// Enters a timer, made by `makeEntry`, of the object at an address, which the caller holds.
  ///
  /// Returns the timers, too, of an object that was at the same address before and is gone.
  mutating func enter(
    at address: ObjectIdentifier, _ makeReference: () -> OwnerReference,
    _ makeEntry: (OwnerReference) -> TimerEntry
  ) -> (entry: TimerEntry, orphans: [TimerEntry]) {
    var orphans: [TimerEntry] = []
    if let index = owners.index(forKey: address) {
      let reference = owners.values[index].reference
      // The caller holds the object, so this can't release it.
      if !reference.isGone {
        let entry = makeEntry(reference)
        entry.ownerPosition = owners.values[index].timers.append(entry)
        return (entry, [])
      }
      orphans = remove(at: index)
    }
    let reference = makeReference()
    let entry = makeEntry(reference)
    var owned = Owned(reference: reference)
    entry.ownerPosition = owned.timers.append(entry)
    if reference.isWatched { owned.watchedPosition = watched.append(reference) }
    owners[address] = owned
    return (entry, orphans)
  }

  /// Removes a timer, and its owner after the last one.
  mutating func leave(_ entry: TimerEntry, of reference: OwnerReference) {
    let position = entry.ownerPosition
    guard let index = index(of: reference), owners.values[index].timers[position] === entry else { return }
    if let moved = owners.values[index].timers.remove(at: position) { moved.ownerPosition = position }
    if owners.values[index].timers.isEmpty { remove(at: index) }
  }

  /// Removes an owner, and returns its timers, which don't leave any more.
  mutating func remove(_ reference: OwnerReference) -> [TimerEntry] {
    index(of: reference).map { remove(at: $0) } ?? []
  }

  private typealias Index = Dictionary<ObjectIdentifier, Owned>.Index

  private func index(of reference: OwnerReference) -> Index? {
    owners.index(forKey: reference.address).flatMap { owners.values[$0].reference === reference ? $0 : nil }
  }

  @discardableResult
  private mutating func remove(at index: Index) -> [TimerEntry] {
    let owned = owners.remove(at: index).value
    if let position = owned.watchedPosition, let moved = watched.remove(at: position) {
      owners[moved.address]?.watchedPosition = position
    }
    // Gives memory back once many owners are gone.
    if owners.isEmpty, owners.capacity > 256 { self = OwnerStripe() }
    return owned.timers.elements
  }

  // MARK: Visiting

  /// Returns the next timers of an owner. Ends the walk if the owner has no timers any more.
  func nextTimers(
    of reference: OwnerReference, in walk: inout UnorderedList<TimerEntry>.Walk
  ) -> [TimerEntry] {
    guard let index = index(of: reference) else {
      walk.end()
      return []
    }
    return owners.values[index].timers.nextChunk(of: &walk)
  }

  /// Returns the next references of those that don't tell of their own release.
  func nextWatched(in walk: inout UnorderedList<OwnerReference>.Walk) -> [OwnerReference] {
    watched.nextChunk(of: &walk)
  }
}
