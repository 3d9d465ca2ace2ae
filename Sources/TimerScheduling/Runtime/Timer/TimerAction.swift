/// What a timer runs for its ticks, on the isolation it was written for.
struct TimerAction: Sendable {
  /// An action without an owner.
  ///
  /// A structure, as to put a bare closure into an optional would wrap it in another, in memory of its own.
  struct Plain: Sendable {
    let body: @isolated(any) @Sendable (TimerTick) async throws -> Void
  }

  // Two optionals instead of an enum of the two, which would be copied by a call of the runtime.
  let plain: Plain?
  private let owned: OwnedAction?

  init(_ action: @escaping @isolated(any) @Sendable (TimerTick) async throws -> Void) {
    self.init(Plain(body: action))
  }

  init(_ plain: Plain) {
    self.plain = plain
    owned = nil
  }

  /// An action that is given its timer's owner.
  init<Owner: AnyObject & Sendable>(
    ownedBy owner: Owner.Type,
    _ action: @escaping @isolated(any) @Sendable (Owner, TimerTick) async throws -> Void
  ) {
    plain = nil
    owned = OwnedAction(isolation: action.isolation) { tick, owner in
      if let owner = owner as? Owner { try await action(owner, tick) }
    }
  }

  /// The actor on which the action runs, if it is bound to one.
  var isolation: (any Actor)? { plain?.body.isolation ?? owned?.isolation }

  /// Runs the action. Called on its isolation, it begins without a suspension.
  func run(_ tick: TimerTick, owner: (any AnyObject & Sendable)?) async throws {
    try await plain?.body(tick)
    try await owned?.body(tick, owner)
  }
}

/// An action that is handed its timer's owner.
private final class OwnedAction: Sendable {
  let isolation: (any Actor)?
  let body: @Sendable (TimerTick, (any AnyObject & Sendable)?) async throws -> Void

  init(
    isolation: (any Actor)?,
    _ body: @escaping @Sendable (TimerTick, (any AnyObject & Sendable)?) async throws -> Void
  ) {
    self.isolation = isolation
    self.body = body
  }
}
