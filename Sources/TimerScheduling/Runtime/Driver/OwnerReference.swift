/// An owner of live timers, held weakly, and its timers.
///
/// Stands for the object itself: an object that is made at the same address later has another reference.
final class OwnerReference: Sendable {
  /// Where the object is, or was.
  let address: ObjectIdentifier
  /// Whether the object has to be looked for, as it doesn't tell of its release.
  let isWatched: Bool
  private weak let reference: (any AnyObject & Sendable)?

  // These two are for ``OwnerStripe`` alone, under the lock of the stripe.

  /// Its live timers.
  @safe @exclusivity(unchecked) nonisolated(unsafe) var timers = UnorderedList<TimerEntry>()
  /// Where this is among the watched references of the stripe, if it is one of them.
  @safe @exclusivity(unchecked) nonisolated(unsafe) var watchedPosition = 0

  init(_ object: some AnyObject & Sendable, isWatched: Bool) {
    address = ObjectIdentifier(object)
    self.isWatched = isWatched
    reference = object
  }

  /// The owner. It is held for a moment, so this isn't called under a lock or on the timer queue.
  var object: (any AnyObject & Sendable)? { reference }

  var isGone: Bool { reference == nil }
}
