/// The listeners and the handles of a timer.
extension TimerShared {
  private var hasListeners: Bool {
    consumers.map { !$0.listeners.isEmpty } ?? (firstListener == .joined)
  }

  enum JoinAction {
    case joined(Listeners.ID)
    /// Others are already listening. The rule must first be asked which dates were theirs alone.
    case consult(RuleQuery, inquiry: UInt64)
  }

  mutating func join(at now: () -> ClockReading) -> JoinAction {
    let isAlone = !hasListeners && !hasAction
    if !isAlone, let (query, inquiry) = machine.consult(at: now) { return .consult(query, inquiry: inquiry) }
    let cursor = machine.join(isAlone: isAlone, at: now)
    if consumers == nil, firstListener == .none, cursor == .start {
      firstListener = .joined
      return .joined(.first)
    }
    return .joined(makeConsumers().listeners.join(cursor, taken: machine.ledger.settled))
  }

  /// Removes a listener. Returns its waiting tasks, or nil if it had already left.
  mutating func leave(_ id: Listeners.ID) -> WaitList<WaitingTask>? {
    if consumers == nil {
      guard id == .first, firstListener == .joined else { return nil }
      firstListener = .left
      if hasAction { machine.listenerLeft(slowest: .start) }
      return WaitList<WaitingTask>()
    }
    let all = makeConsumers()
    guard let waiting = all.listeners.leave(id) else { return nil }
    let others = [all.listeners.slowest(taken: machine.ledger.settled), actionCursor].compactMap(\.self)
    if let slowest = others.min() { machine.listenerLeft(slowest: slowest) }
    return waiting
  }

  mutating func holdHandle() { handleCount += 1 }

  mutating func releaseHandle() { handleCount -= 1 }

  /// Whether there is neither a handle nor a listener.
  var isUnheld: Bool { handleCount == 0 && !hasListeners }

  private func cursor(of id: Listeners.ID) -> TickCursor? {
    if let consumers { return consumers.listeners.cursor(of: id) }
    return id == .first && firstListener == .joined ? .start : nil
  }

  mutating func take(_ id: Listeners.ID, at now: () -> ClockReading) -> TimerStateMachine.TakeAction {
    guard var cursor = cursor(of: id) else { return .finished }
    let taken = machine.take(&cursor, at: now)
    switch taken {
    case .tick: makeConsumers().listeners.move(id, to: cursor, taken: machine.ledger.settled)
    case .wait, .consult, .finished: break
    }
    return taken
  }

  /// Returns whether a listener that asks now must wait.
  func mustWait(_ id: Listeners.ID) -> Bool {
    cursor(of: id).map { machine.mustWait($0) } ?? false
  }

  /// Returns whether a listener that asks now may get a tick.
  func canTake(_ id: Listeners.ID) -> Bool {
    cursor(of: id).map { machine.canTake($0) } ?? false
  }

  /// Adds a waiting task if its listener must wait.
  mutating func wait(_ task: WaitingTask, as id: Listeners.ID) -> Bool {
    guard mustWait(id) else { return false }
    let consumers = makeConsumers()
    consumers.listeners.add(task, to: id)
    // The listener may be owed a tick that it can't take now, for instance because the timer is paused.
    if consumers.readiness != machine.readiness { consumers.readiness = nil }
    return true
  }

  func containsListener(where isSo: (TickCursor) -> Bool) -> Bool {
    consumers?.listeners.contains(where: isSo) ?? (firstListener == .joined && isSo(.start))
  }

  /// Whether a listener has a tick to take.
  var hasTickToTake: Bool { containsListener { !machine.mustWait($0) } }

  /// Whether a listener or the action is waiting and will take a tick at once.
  var isAwaited: Bool {
    hasAction && !isRunning || consumers?.listeners.isAwaited == true
  }
}
