import Synchronization

/// The owners of a driver's live timers, and the timers of each, striped by the owners' addresses.
///
/// A lock is held for a number of steps that doesn't grow with the number of owners or of an owner's timers.
struct OwnerTable: ~Copyable, Sendable {
  private struct Content {
    var owners: [ObjectIdentifier: OwnerReference] = [:]
    /// The owners that don't report their own release.
    var watched = SmallList<OwnerReference>()
  }

  private final class Stripe: Sendable {
    /// Guards the owners of this stripe.
    let content = Lock(Content())
  }

  private final class Stripes: Sendable { let all = (0..<16).map { _ in Stripe() } }

  private static let lastNumber = Atomic<UInt64>(0)

  /// Identifies the table, and so its driver. Unlike an address it is never reused.
  let number = lastNumber.add(1, ordering: .relaxed).newValue
  private let isChecking = Atomic<Bool>(false)
  private let stripes = LazyObject<Stripes>()
  private let watchedCount = Atomic<Int>(0)

  var isEmpty: Bool {
    (stripes.made?.all ?? []).allSatisfy { $0.content.withLock(\.owners.isEmpty) }
  }

  var hasWatched: Bool { watchedCount.load(ordering: .sequentiallyConsistent) > 0 }

  private func withStripe<Result>(
    of address: ObjectIdentifier, _ body: (inout sending Content) -> sending Result
  ) -> sending Result {
    // Addresses differ in few of their bits.
    let number = Int(UInt64(UInt(bitPattern: address)).mixed >> 60)
    return stripes.get(Stripes.init).all[number].content.withLock(body)
  }

  /// Adds a timer that `make` makes for the reference of `owner`.
  ///
  /// Also returns the timers of a previous object at the same address that is gone.
  func enter(
    ownedBy owner: any AnyObject & Sendable, isWatched: Bool, _ make: (OwnerReference) -> TimerEntry
  ) -> (TimerEntry, orphans: [TimerEntry]) {
    let address = ObjectIdentifier(owner)
    func makeReference() -> OwnerReference { OwnerReference(owner, isWatched: isWatched) }
    // The caller holds the owner, so checking whether another object is gone can't release this one.
    let result = withStripe(of: address) { stripe in
      var orphans: [TimerEntry] = []
      var reference = stripe.owners[address] ?? makeReference()
      if !reference.timers.isEmpty, reference.isGone {
        orphans = remove(reference, from: &stripe)
        reference = makeReference()
      }
      let entry = make(reference)
      if reference.timers.isEmpty { stripe.owners[address] = reference }
      if reference.timers.isEmpty, reference.isWatched {
        reference.watchedPosition = stripe.watched.append(reference)
        watchedCount.add(1, ordering: .sequentiallyConsistent)
      }
      entry.attributes?.ownerPosition = reference.timers.append(entry)
      return (entry, orphans: orphans)
    }
    withExtendedLifetime(owner) {}
    return result
  }

  /// Removes a timer that has finished, which the caller holds, and its owner if that was the last one.
  func leave(_ entry: TimerEntry) {
    guard let attributes = entry.attributes, let reference = attributes.owner else { return }
    withStripe(of: reference.address) { stripe in
      let position = attributes.ownerPosition
      guard reference.timers[position] === entry else { return }
      if let moved = reference.timers.remove(at: position) { moved.attributes?.ownerPosition = position }
      if reference.timers.isEmpty { _ = remove(reference, from: &stripe) }
    }
  }

  /// Removes an owner with its timers, and returns them.
  private func remove(_ reference: OwnerReference, from stripe: inout Content) -> [TimerEntry] {
    let address = reference.address
    guard let index = stripe.owners.index(forKey: address), stripe.owners.values[index] === reference else {
      return []
    }
    stripe.owners.remove(at: index)
    if reference.isWatched {
      let moved = stripe.watched.remove(at: reference.watchedPosition)
      moved?.watchedPosition = reference.watchedPosition
      watchedCount.subtract(1, ordering: .sequentiallyConsistent)
    }
    // Frees memory after many owners are gone.
    if stripe.owners.isEmpty, stripe.owners.capacity > 256 { stripe = Content() }
    return reference.timers.takeAll()
  }

  func reference(for owner: some AnyObject & Sendable) -> OwnerReference? {
    let reference = reference(at: ObjectIdentifier(owner))
    let isGone = reference?.isGone ?? true
    withExtendedLifetime(owner) {}
    return isGone ? nil : reference
  }

  private func reference(at address: ObjectIdentifier) -> OwnerReference? {
    withStripe(of: address) { $0.owners[address] }
  }

  /// Returns the timers of `owner`. A timer that changes its position meanwhile may be included twice.
  func timers(of owner: some AnyObject & Sendable) -> [TimerEntry] {
    guard let reference = reference(for: owner) else { return [] }
    var timers: [TimerEntry] = []
    var position = Int.max
    while position > 0 {
      timers += withStripe(of: reference.address) { _ in
        reference.timers.nextChunk(before: &position)
      }
    }
    return timers
  }

  func removeOwner(at address: ObjectIdentifier) -> [TimerEntry] {
    reference(at: address).map { remove($0) } ?? []
  }

  private func remove(_ reference: OwnerReference) -> [TimerEntry] {
    withStripe(of: reference.address) { remove(reference, from: &$0) }
  }

  // Checking an owner may release it, so the next two must not be called on the timer queue.

  /// Removes the owners that are gone, and calls `body` with their timers. Does nothing while another thread
  /// does this, as a check may take longer than the interval between checks.
  func forEachOrphan(_ body: (TimerEntry) -> Void) {
    if isChecking.exchange(true, ordering: .acquiringAndReleasing) { return }
    defer { isChecking.store(false, ordering: .releasing) }
    forEachWatched { if $0.isGone { remove($0).forEach(body) } }
  }

  var hasOrphans: Bool {
    var isGone = false
    forEachWatched { isGone = isGone || $0.isGone }
    return isGone
  }

  private func forEachWatched(_ body: (OwnerReference) -> Void) {
    for stripe in stripes.made?.all ?? [] {
      var position = Int.max
      while position > 0 { stripe.content.withLock { $0.watched.nextChunk(before: &position) }.forEach(body) }
    }
  }
}

/// An owner of live timers, held weakly, and its timers. An object created later at the same address has
/// another reference.
final class OwnerReference: Sendable {
  let address: ObjectIdentifier
  /// Whether the driver checks if the object is gone, because it doesn't report its own release.
  let isWatched: Bool
  private weak let reference: (any AnyObject & Sendable)?

  // The next two are for ``OwnerTable`` only, under the lock of the stripe.

  @safe @exclusivity(unchecked) nonisolated(unsafe) var timers = SmallList<TimerEntry>()
  /// The position among the stripe's watched references, if this is one of them.
  @safe @exclusivity(unchecked) nonisolated(unsafe) var watchedPosition = 0

  init(_ object: some AnyObject & Sendable, isWatched: Bool) {
    address = ObjectIdentifier(object)
    self.isWatched = isWatched
    reference = object
  }

  /// The owner. Reading this holds it for a moment, so don't call it under a lock or on the timer queue.
  var object: (any AnyObject & Sendable)? { reference }

  var isGone: Bool { reference == nil }
}
