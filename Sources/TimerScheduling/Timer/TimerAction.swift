/// What a timer runs for its ticks, on the isolation it was written for.
struct TimerAction: Sendable {
  private enum Body {
    case plain(@isolated(any) @Sendable (TimerTick) async throws -> Void)
    case owned(OwnedAction)
  }

  private let body: Body

  init(_ action: @escaping @isolated(any) @Sendable (TimerTick) async throws -> Void) {
    body = .plain(action)
  }

  /// An action that is given its timer's owner.
  init<Owner: AnyObject & Sendable>(
    ownedBy owner: Owner.Type,
    _ action: @escaping @isolated(any) @Sendable (Owner, TimerTick) async throws -> Void
  ) {
    body = .owned(
      OwnedAction(isolation: action.isolation) { tick, owner in
        if let owner = owner as? Owner { try await action(owner, tick) }
      })
  }

  /// The actor on which the action runs, if it is bound to one.
  var isolation: (any Actor)? {
    switch body {
    case .plain(let action): action.isolation
    case .owned(let action): action.isolation
    }
  }

  /// Runs the action. Called on its isolation, it begins without a suspension.
  func run(_ tick: TimerTick, owner: (any AnyObject & Sendable)?) async throws {
    switch body {
    case .plain(let action): try await action(tick)
    case .owned(let action): try await action.body(tick, owner)
    }
  }
}

/// An object, so that a timer with any action takes no more memory than one with the plainest.
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
