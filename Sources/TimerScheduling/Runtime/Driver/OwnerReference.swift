/// A timer owner, held weakly.
///
/// Stands for the object itself: an object that is made at the same address later has another reference.
final class OwnerReference: Sendable {
  /// Where the object is, or was.
  let address: ObjectIdentifier
  /// Whether the object has to be looked for, as it doesn't tell of its release.
  let isWatched: Bool
  private weak let reference: (any AnyObject & Sendable)?

  init(_ object: some AnyObject & Sendable) {
    address = ObjectIdentifier(object)
    isWatched = !(object is any SelfReleasingOwner)
    reference = object
  }

  /// The owner. It is held for a moment, so this isn't called under a lock or on the timer queue.
  var object: (any AnyObject & Sendable)? { reference }

  var isGone: Bool { reference == nil }
}
