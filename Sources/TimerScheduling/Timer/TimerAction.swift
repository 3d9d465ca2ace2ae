/// What a timer runs for its ticks, on the isolation it was written for.
struct TimerAction: Sendable {
  /// The actor on which the action runs, if it is bound to one.
  let isolation: (any Actor)?
  private let body: @Sendable (TimerTick, (any AnyObject & Sendable)?) async throws -> Void

  init(_ action: @escaping @isolated(any) @Sendable (TimerTick) async throws -> Void) {
    isolation = action.isolation
    body = { tick, _ in try await action(tick) }
  }

  /// An action that is given its timer's owner.
  init<Owner: AnyObject & Sendable>(
    ownedBy owner: Owner.Type,
    _ action: @escaping @isolated(any) @Sendable (Owner, TimerTick) async throws -> Void
  ) {
    isolation = action.isolation
    body = { tick, owner in
      if let owner = owner as? Owner { try await action(owner, tick) }
    }
  }

  /// Runs the action. Called on its isolation, it begins without a suspension.
  func run(_ tick: TimerTick, owner: (any AnyObject & Sendable)?) async throws {
    try await body(tick, owner)
  }
}
