/// A timer's name and owner, which few timers have and which never change.
final class TimerBadge: Sendable {
  let name: String?
  let owner: OwnerReference?
  /// Where the timer is among those of its owner.
  ///
  /// Confined by a lock: ``OwnerStripe`` alone touches it, under the lock of the stripe.
  @safe nonisolated(unsafe) var ownerPosition = 0

  private init(name: String?, owner: OwnerReference?) {
    self.name = name
    self.owner = owner
  }

  /// Returns nil where there is nothing to bear.
  static func badge(name: String?, owner: OwnerReference?) -> TimerBadge? {
    // Not an initializer that may fail, which would allocate an object first.
    name == nil && owner == nil ? nil : TimerBadge(name: name, owner: owner)
  }
}
