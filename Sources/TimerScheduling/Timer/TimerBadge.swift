/// What few timers have and no timer changes: a name and an owner.
final class TimerBadge: Sendable {
  let name: String?
  let owner: OwnerReference?

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
