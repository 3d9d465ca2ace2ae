/// A timer's name and owner, which few timers have and which never change, and an action that is more than a closure.
final class TimerBadge: Sendable {
  let name: String?
  let owner: OwnerReference?
  /// An action that is given the owner or has a timeout, until the timer finishes.
  ///
  /// Guarded by the lock of the timer.
  @safe @exclusivity(unchecked) nonisolated(unsafe) var ownedAction: OwnedAction?
  /// Where the timer is among those of its owner.
  ///
  /// Confined by a lock: ``OwnerStripe`` alone touches it, under the lock of the stripe.
  @safe @exclusivity(unchecked) nonisolated(unsafe) var ownerPosition = 0

  private init(name: String?, owner: OwnerReference?, _ action: OwnedAction?) {
    self.name = name
    self.owner = owner
    ownedAction = action
  }

  /// Returns nil where there is nothing to bear.
  static func badge(name: String?, owner: OwnerReference?, _ action: OwnedAction?) -> TimerBadge? {
    // Not an initializer that may fail, which would allocate an object first.
    name == nil && owner == nil && action == nil ? nil : TimerBadge(name: name, owner: owner, action)
  }
}
