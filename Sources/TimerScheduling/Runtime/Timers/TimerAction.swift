/// The action of a timer, to be run on the isolation for which it was written.
package struct TimerAction: Sendable {
  /// An action without an owner.
  ///
  /// A structure, because putting a bare closure into an optional would wrap it in another closure, with heap memory
  /// of its own.
  struct Plain: Sendable {
    let body: @isolated(any) @Sendable (TimerTick) async throws -> Void
  }

  // Two optionals instead of an enum, which would be copied by a call to the runtime.
  let plain: Plain?
  let owned: ActionObject?

  package init(_ action: @escaping @isolated(any) @Sendable (TimerTick) async throws -> Void) {
    self.init(Plain(body: action))
  }

  init(_ plain: Plain) {
    self.plain = plain
    owned = nil
  }

  init(_ owned: ActionObject) {
    plain = nil
    self.owned = owned
  }

  init<Owner: AnyObject & Sendable>(
    ownedBy owner: Owner.Type,
    _ action: @escaping @isolated(any) @Sendable (Owner, TimerTick) async throws -> Void
  ) {
    self.init(ActionOfOwner(action))
  }

  init<Owner: Actor>(
    isolatedTo owner: Owner.Type,
    _ action: @escaping @Sendable (isolated Owner, TimerTick) async throws -> Void
  ) {
    self.init(ActionOfActor(action))
  }

  /// Returns this action with a timeout: each run that takes longer than `timeout` is cancelled.
  func limited(to timeout: Duration?) -> TimerAction {
    guard let timeout else { return self }
    precondition(timeout > .zero, "An action's timeout must be greater than zero, but \(timeout) was given.")
    return TimerAction(LimitedAction(self, limit: timeout))
  }

  var timeout: Duration? { owned?.timeout }

  /// The actor on which the action runs, if it is bound to one. That of an action on its owner is known only when it
  /// runs.
  var isolation: (any Actor)? { plain?.body.isolation ?? owned?.isolation }

  var isIsolatedToOwner: Bool { owned?.isIsolatedToOwner ?? false }

  /// Runs the action. If called on the action's isolation, it begins without a suspension.
  func run(_ tick: TimerTick, owner: (any AnyObject & Sendable)?) async throws {
    try await plain?.body(tick)
    try await owned?.run(tick, owner)
  }
}

/// An action that is more than a closure: one that receives its timer's owner, of any type, or has a timeout.
class ActionObject: @unchecked Sendable {
  var isolation: (any Actor)? { nil }
  var timeout: Duration? { nil }
  var isIsolatedToOwner: Bool { false }

  func run(_ tick: TimerTick, _ owner: (any AnyObject & Sendable)?) async throws {}
}

private final class ActionOfOwner<Owner: AnyObject & Sendable>: ActionObject, @unchecked Sendable {
  private let body: @isolated(any) @Sendable (Owner, TimerTick) async throws -> Void

  init(_ body: @escaping @isolated(any) @Sendable (Owner, TimerTick) async throws -> Void) {
    self.body = body
  }

  override var isolation: (any Actor)? { body.isolation }

  override func run(_ tick: TimerTick, _ owner: (any AnyObject & Sendable)?) async throws {
    if let owner = owner as? Owner { try await body(owner, tick) }
  }
}

private final class ActionOfActor<Owner: Actor>: ActionObject, @unchecked Sendable {
  private let body: @Sendable (isolated Owner, TimerTick) async throws -> Void

  init(_ body: @escaping @Sendable (isolated Owner, TimerTick) async throws -> Void) {
    self.body = body
  }

  override var isIsolatedToOwner: Bool { true }

  override func run(_ tick: TimerTick, _ owner: (any AnyObject & Sendable)?) async throws {
    if let owner = owner as? Owner { try await body(owner, tick) }
  }
}

/// An action that receives a countdown's owner and its values, each once.
final class ActionOfCountdown<Owner: AnyObject & Sendable>: ActionObject, @unchecked Sendable {
  private let body: @isolated(any) @Sendable (Owner, Duration) async throws -> Void
  /// The countdown's entry. Set once, before the timer can fire. Weak, as the entry holds the action.
  weak var entry: TimerEntry?
  /// The number of the value delivered last. Runs of a timer don't overlap.
  private var last: Int64 = -1

  init(_ body: @escaping @isolated(any) @Sendable (Owner, Duration) async throws -> Void) {
    self.body = body
  }

  override var isolation: (any Actor)? { body.isolation }

  override func run(_ tick: TimerTick, _ owner: (any AnyObject & Sendable)?) async throws {
    guard let (scale, elapsed) = entry?.countdown, let owner = owner as? Owner else { return }
    let step = scale.step(after: elapsed)
    guard step > last else { return }
    last = step
    try await body(owner, scale.value(ofStep: step))
  }
}

private final class LimitedAction: ActionObject, @unchecked Sendable {
  private let action: TimerAction
  private let limit: Duration

  init(_ action: TimerAction, limit: Duration) {
    (self.action, self.limit) = (action, limit)
  }

  override var isolation: (any Actor)? { action.isolation }
  override var timeout: Duration? { limit }
  override var isIsolatedToOwner: Bool { action.isIsolatedToOwner }

  override func run(_ tick: TimerTick, _ owner: (any AnyObject & Sendable)?) async throws {
    try await action.run(tick, owner: owner)
  }
}
