/// The action of a timer, to be run on the isolation for which it was written.
package struct TimerAction: Sendable {
  /// An action without an owner. A structure, as a bare closure in an optional would be wrapped in another
  /// closure, with heap memory of its own.
  struct Plain: Sendable {
    let body: @isolated(any) @Sendable (TimerTick) async throws -> Void
  }

  /// Returns the position of the timer's countdown.
  typealias Position = () -> (scale: CountdownScale, elapsed: Interval)?

  // Two optionals instead of an enum, which would be copied by a call to the runtime.
  let plain: Plain?
  let owned: ActionObject?

  package init(_ action: @escaping @isolated(any) @Sendable (TimerTick) async throws -> Void) {
    self.init(Plain(body: action))
  }

  /// An action whose runs are known by an object: see ``ActionRun/currentContext``.
  init(context: any AnyObject & Sendable, _ action: @escaping @Sendable (TimerTick) async throws -> Void) {
    self.init(ActionObject(context: context) { tick, _, _ in try await action(tick) })
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
    self.init(
      ActionObject(on: action.isolation) { tick, owner, _ in
        if let owner = owner as? Owner { try await action(owner, tick) }
      })
  }

  init<Owner: Actor>(
    isolatedTo owner: Owner.Type,
    _ action: @escaping @Sendable (isolated Owner, TimerTick) async throws -> Void
  ) {
    self.init(
      ActionObject(isIsolatedToOwner: true) { tick, owner, _ in
        if let owner = owner as? Owner { try await action(owner, tick) }
      })
  }

  /// An action that receives a countdown's owner and its values, each once.
  init<Owner: AnyObject & Sendable>(
    ownedBy owner: Owner.Type,
    countingDown action: @escaping @isolated(any) @Sendable (Owner, Duration) async throws -> Void
  ) {
    let values = CountdownValues()
    self.init(
      ActionObject(on: action.isolation) { _, owner, position in
        guard let owner = owner as? Owner, let value = values.next(at: position()) else { return }
        try await action(owner, value)
      })
  }

  /// Returns this action with a timeout: each run that takes longer than `timeout` is cancelled.
  func limited(to timeout: Duration?) -> TimerAction {
    guard let timeout else { return self }
    precondition(timeout > .zero, "An action's timeout must be greater than zero, but \(timeout) was given.")
    return TimerAction(
      ActionObject(
        on: isolation, isIsolatedToOwner: isIsolatedToOwner, timeout: timeout, context: owned?.context
      ) {
        try await run($0, owner: $1, position: $2)
      })
  }

  var timeout: Duration? { owned?.timeout }

  /// The actor on which the action runs, if it is bound to one. That of an action on its owner is known only
  /// when it runs.
  var isolation: (any Actor)? { plain?.body.isolation ?? owned?.isolation }

  var isIsolatedToOwner: Bool { owned?.isIsolatedToOwner ?? false }

  /// Runs the action. If called on the action's isolation, it begins without a suspension.
  func run(_ tick: TimerTick, owner: (any AnyObject & Sendable)?, position: Position) async throws {
    try await plain?.body(tick)
    try await owned?.body(tick, owner, position)
  }
}

/// An action that is more than a closure: one that receives its timer's owner, of any type, has a timeout, or
/// is known by an object.
package final class ActionObject: Sendable {
  typealias Owner = any AnyObject & Sendable
  typealias Body = @Sendable (TimerTick, Owner?, TimerAction.Position) async throws -> Void

  let isolation: (any Actor)?
  let isIsolatedToOwner: Bool
  let timeout: Duration?
  let context: (any AnyObject & Sendable)?
  let body: Body

  init(
    on isolation: (any Actor)? = nil, isIsolatedToOwner: Bool = false, timeout: Duration? = nil,
    context: (any AnyObject & Sendable)? = nil, _ body: @escaping Body
  ) {
    self.isolation = isolation
    self.isIsolatedToOwner = isIsolatedToOwner
    self.timeout = timeout
    self.context = context
    self.body = body
  }
}

/// The values of a countdown that lie on a step, each delivered once.
final class CountdownValues: Sendable {
  /// Guards the number of the last value delivered, which is negative before the first.
  private let last = Lock<Int64>(-1)

  var haveBegun: Bool { last.withLock { $0 >= 0 } }

  /// Returns the newest value at a position, or nil if it was delivered before.
  func next(at position: (scale: CountdownScale, elapsed: Interval)?) -> Duration? {
    guard let (scale, elapsed) = position else { return nil }
    let step = scale.step(after: elapsed)
    return last.withLock { last in
      guard step > last else { return nil }
      last = step
      return scale.value(ofStep: step)
    }
  }
}
