/// Some of the owners of a driver's live timers.
struct OwnerStripe: StripeContent {
  /// The owners that have live timers, by address.
  private var owners: [ObjectIdentifier: OwnerReference] = [:]
  /// The owners that don't report their own release.
  private var watched = UnorderedList<OwnerReference>()

  var isEmpty: Bool { owners.isEmpty }
  var watchedCount: Int { watched.count }

  func reference(at address: ObjectIdentifier) -> OwnerReference? { owners[address] }

  // MARK: Entering and leaving

  /// Adds a timer, made by `makeEntry`, of the object at an address. The caller holds the object.
  ///
  /// Also returns the timers of a previous object at the same address that is gone.
  mutating func enter(
    at address: ObjectIdentifier, _ makeReference: () -> OwnerReference,
    _ makeEntry: (OwnerReference) -> TimerEntry
  ) -> (entry: TimerEntry, orphans: [TimerEntry]) {
    var orphans: [TimerEntry] = []
    var reference = Self.value(&owners[address, default: makeReference()])
    // The caller holds the object, so checking whether another one is gone can't release it.
    if !reference.timers.isEmpty, reference.isGone {
      orphans = remove(reference)
      reference = makeReference()
      owners[address] = reference
    }
    let entry = makeEntry(reference)
    if reference.timers.isEmpty, reference.isWatched { reference.watchedPosition = watched.append(reference) }
    entry.ownerPosition = reference.timers.append(entry)
    return (entry, orphans)
  }

  /// Returns the value at a dictionary's key, which is looked up once and filled if it was empty.
  private static func value(_ place: inout OwnerReference) -> OwnerReference { place }

  /// Removes a timer, and its owner if that was the last one.
  mutating func leave(_ entry: TimerEntry, of reference: OwnerReference) {
    let position = entry.ownerPosition
    guard reference.timers[position] === entry else { return }
    if let moved = reference.timers.remove(at: position) { moved.ownerPosition = position }
    if reference.timers.isEmpty { _ = remove(reference) }
  }

  /// Removes an owner and returns its timers, which are then no longer in the table.
  mutating func remove(_ reference: OwnerReference) -> [TimerEntry] {
    guard let index = owners.index(forKey: reference.address), owners.values[index] === reference else {
      return []
    }
    owners.remove(at: index)
    if reference.isWatched, let moved = watched.remove(at: reference.watchedPosition) {
      moved.watchedPosition = reference.watchedPosition
    }
    // Frees memory after many owners are gone.
    if owners.isEmpty, owners.capacity > 256 { self = OwnerStripe() }
    return reference.timers.takeAll()
  }

  // MARK: Visiting

  /// Returns the next owners of a walk over those that don't report their own release.
  func nextWatched(in walk: inout UnorderedList<OwnerReference>.Walk) -> [OwnerReference] {
    watched.nextChunk(of: &walk)
  }
}
