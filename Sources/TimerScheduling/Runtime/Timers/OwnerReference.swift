/// An owner of live timers, held weakly, and its timers.
///
/// The reference identifies one object: an object created later at the same address has another reference.
final class OwnerReference: Sendable {
  let address: ObjectIdentifier
  /// Whether the driver has to check if the object is gone, because it doesn't report its own release.
  let isWatched: Bool
  var key: Int { Int(bitPattern: address) }
  private weak let reference: (any AnyObject & Sendable)?

  // The next two are for ``OwnerTable`` only, under the lock of the stripe.

  @safe @exclusivity(unchecked) nonisolated(unsafe) var timers = UnorderedList<TimerEntry>()
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
