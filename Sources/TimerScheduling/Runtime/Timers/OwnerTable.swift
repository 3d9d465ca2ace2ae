import Synchronization

/// The owners of a driver's live timers, and the timers of each.
///
/// The table is striped by the owners' addresses, so that threads wait for each other only if their timers' owners
/// share a stripe. A lock is held for a number of steps that doesn't grow with the number of owners or of an owner's
/// timers.
struct OwnerTable: ~Copyable, Sendable {
  private static let lastNumber = Atomic<UInt64>(0)

  /// Identifies the table, and so its context. Unlike an address it is never reused.
  let number = lastNumber.add(1, ordering: .relaxed).newValue
  /// The checks for owners that are gone.
  let check = RepeatableWork()
  private let stripes = Striped<OwnerStripe>()
  /// The number of owners that don't report their own release.
  private let watchedCount = Atomic<Int>(0)

  var isEmpty: Bool {
    var isEmpty = true
    stripes.forEachStripe { stripe in isEmpty = isEmpty && stripe.withLock(\.isEmpty) }
    return isEmpty
  }

  /// Whether there are owners that the driver has to check.
  var hasWatched: Bool { watchedCount.load(ordering: .sequentiallyConsistent) > 0 }

  /// Adds a timer that `make` makes for the reference of `owner`.
  ///
  /// Also returns the timers of a previous object at the same address that is gone.
  func enter(
    ownedBy owner: some AnyObject & Sendable, isWatched: Bool, _ make: (OwnerReference) -> TimerEntry
  ) -> (TimerEntry, orphans: [TimerEntry]) {
    let address = ObjectIdentifier(owner)
    let result = stripes.withStripe(ofKey: Int(bitPattern: address)) { stripe in
      countWatched(in: &stripe) {
        $0.enter(at: address, { OwnerReference(owner, isWatched: isWatched) }, make)
      }
    }
    withExtendedLifetime(owner) {}
    return result
  }

  /// Removes a timer that has finished. The caller holds it, so this doesn't release it.
  func leave(_ entry: TimerEntry) {
    guard let reference = entry.owner else { return }
    stripes.withStripeIfMade(ofKey: Int(bitPattern: reference.address)) { stripe in
      countWatched(in: &stripe) { $0.leave(entry, of: reference) }
    }
  }

  /// Removes an owner that is gone, and returns its timers.
  private func remove(_ reference: OwnerReference) -> [TimerEntry] {
    stripes.withStripeIfMade(ofKey: Int(bitPattern: reference.address)) { stripe in
      countWatched(in: &stripe) { $0.remove(reference) }
    } ?? []
  }

  /// Makes a change, and counts the watched owners that came or went.
  private func countWatched<Result>(
    in stripe: inout OwnerStripe, _ change: (inout OwnerStripe) -> Result
  ) -> Result {
    let count = stripe.watchedCount
    let result = change(&stripe)
    if stripe.watchedCount != count {
      watchedCount.add(stripe.watchedCount - count, ordering: .sequentiallyConsistent)
    }
    return result
  }

  // MARK: Finding

  /// Returns the reference to `owner`, if it has timers.
  func reference(for owner: some AnyObject & Sendable) -> OwnerReference? {
    let reference = reference(at: ObjectIdentifier(owner))
    let isGone = reference?.isGone ?? true
    withExtendedLifetime(owner) {}
    return isGone ? nil : reference
  }

  private func reference(at address: ObjectIdentifier) -> OwnerReference? {
    stripes.withStripeIfMade(ofKey: Int(bitPattern: address)) { $0.reference(at: address) } ?? nil
  }

  /// Returns the timers of `owner`. A timer that changes its position meanwhile may be included twice.
  func timers(of owner: some AnyObject & Sendable) -> [TimerEntry] {
    guard let reference = reference(for: owner) else { return [] }
    var timers: [TimerEntry] = []
    var walk = UnorderedList<TimerEntry>.Walk()
    while !walk.isOver {
      // The stripe's lock also guards the owner's timers.
      let next = stripes.withStripeIfMade(ofKey: Int(bitPattern: reference.address)) { _ in
        reference.timers.nextChunk(of: &walk)
      }
      timers += next ?? []
    }
    return timers
  }

  // MARK: Owners that are gone

  /// Removes the owner at an address, which is being released, and returns its timers.
  func removeOwner(at address: ObjectIdentifier) -> [TimerEntry] {
    reference(at: address).map { remove($0) } ?? []
  }

  /// Removes the owners that are gone, and calls `body` with their timers.
  ///
  /// Checking an owner may release it, so this must not be called on the timer queue.
  func forEachOrphan(_ body: (TimerEntry) -> Void) {
    forEachWatched { if $0.isGone { remove($0).forEach(body) } }
  }

  /// Whether an owner is gone. Must not be called on the timer queue either.
  var hasOrphans: Bool {
    var isGone = false
    forEachWatched { isGone = isGone || $0.isGone }
    return isGone
  }

  private func forEachWatched(_ body: (OwnerReference) -> Void) {
    stripes.forEachStripe { stripe in
      var walk = UnorderedList<OwnerReference>.Walk()
      while !walk.isOver { stripe.withLock { $0.nextWatched(in: &walk) }.forEach(body) }
    }
  }
}
