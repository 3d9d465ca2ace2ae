/// A timer's name and owner, which few timers have and which never change, and an action that is more than a closure.
package final class TimerAttributes: Sendable {
  let name: String?
  let owner: OwnerReference?
  /// An action that receives the owner or has a timeout. Nil once the timer finishes.
  ///
  /// Guarded by the lock of the timer.
  @safe @exclusivity(unchecked) nonisolated(unsafe) var actionObject: ActionObject?
  /// The position among the owner's timers.
  ///
  /// Confined by a lock: only ``OwnerTable`` uses it, under the lock of the stripe.
  @safe @exclusivity(unchecked) nonisolated(unsafe) var ownerPosition = 0

  private init(name: String?, owner: OwnerReference?, _ action: ActionObject?) {
    self.name = name
    self.owner = owner
    actionObject = action
  }

  /// Returns nil if there is neither a name nor an owner nor an action.
  static func make(name: String?, owner: OwnerReference?, _ action: ActionObject?) -> TimerAttributes? {
    // Not a failable initializer, which would allocate an object first.
    name == nil && owner == nil && action == nil ? nil : TimerAttributes(name: name, owner: owner, action)
  }
}
