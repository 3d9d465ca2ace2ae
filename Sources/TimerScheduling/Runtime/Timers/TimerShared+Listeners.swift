/// The consumers of a timer: its action or its first listener, and all other listeners.
extension TimerShared {
  /// Whether the first consumer is a listener that hasn't left.
  private var firstListens: Bool { flags.contains(.firstListens) }

  private var hasListeners: Bool { firstListens || machine.listeners?.isEmpty == false }

  package enum JoinResult {
    case joined(Listeners.ID)
    /// Others are already listening. The rule must first be asked which dates were theirs alone.
    case consult(RuleQuery, inquiry: UInt32)
  }

  package mutating func join(at now: () -> ClockReading) -> JoinResult {
    let isAlone = !hasListeners && !hasAction
    if !isAlone, let (query, inquiry) = machine.consult(at: now) { return .consult(query, inquiry: inquiry) }
    let cursor = machine.join(isAlone: isAlone, at: now)
    if !hasAction, flags.insert(.firstHasJoined).inserted {
      flags.insert(.firstListens)
      machine.cursor = cursor
      return .joined(.first)
    }
    return .joined(machine.makeListeners().join(cursor))
  }

  /// Removes a listener. Returns its waiting tasks, or nil if it had already left.
  package mutating func leave(_ id: Listeners.ID) -> WaitList<WaitingTask>? {
    var tasks = WaitList<WaitingTask>()
    if id == .first {
      guard flags.remove(.firstListens) != nil else { return nil }
      moveTasksOfFirst(all: true, to: &tasks)
    } else {
      guard let left = machine.listeners?.leave(id) else { return nil }
      tasks = left
    }
    if let first = cursor(of: .first) ?? machine.listeners?.firstCursor { machine.listenerLeft(first: first) }
    return tasks
  }

  var isUnheld: Bool { handleCount == 0 && !hasListeners }

  /// The cursor of the action, or nil without an action.
  package var actionCursor: TickCursor? { hasAction ? machine.cursor : nil }

  private func cursor(of id: Listeners.ID) -> TickCursor? {
    guard id == .first else { return machine.listeners?.cursor(of: id) }
    return hasAction || firstListens ? machine.cursor : nil
  }

  /// Takes a tick for a listener or, as ``Listeners/ID/first``, for the action.
  package mutating func take(
    _ id: Listeners.ID, at now: () -> ClockReading
  ) -> TimerStateMachine.TakeResult {
    guard var cursor = cursor(of: id) else { return .finished }
    let taken = machine.take(&cursor, at: now)
    switch taken {
    case .tick where id == .first: machine.cursor = cursor
    case .tick: machine.listeners?.move(id, to: cursor)
    case .wait, .consult, .finished: break
    }
    return taken
  }

  package func mustWait(_ id: Listeners.ID) -> Bool {
    cursor(of: id).map { machine.mustWait($0) } ?? false
  }

  package func canTake(_ id: Listeners.ID) -> Bool {
    cursor(of: id).map { machine.canTake($0) } ?? false
  }

  func containsListener(before end: TickCursor) -> Bool {
    firstListens && machine.cursor < end || machine.listeners?.contains(before: end) == true
  }

  /// Adds a waiting task if its listener must wait.
  package mutating func wait(_ task: WaitingTask, as id: Listeners.ID) -> Bool {
    guard mustWait(id) else { return false }
    switch activity {
    case .none where id == .first: activity = .waiting(task)
    case .waiting where id == .first: machine.makeExtras().tasks.append(task)
    case .none, .waiting, .run: machine.listeners?.add(task, to: id)
    }
    return true
  }

  /// Whether a listener or the action is waiting and will take a tick at once.
  package var isAwaited: Bool {
    switch activity {
    case .waiting: true
    case .none, .run: hasAction && !isRunning || machine.listeners?.isAwaited == true
    }
  }

  /// Moves a waiting task of each listener that has a tick to take, or with `all` every task, to `woken`.
  mutating func moveTasks(all: Bool, to woken: inout WaitList<WaitingTask>) {
    switch activity {
    case .waiting where all || !machine.mustWait(machine.cursor): moveTasksOfFirst(all: all, to: &woken)
    case .waiting, .none, .run: break
    }
    guard let listeners = machine.listeners, listeners.isAwaited else { return }
    listeners.moveTasks(all: all, before: machine.readyBefore, to: &woken)
  }

  /// Moves one task of the first listener, or all.
  private mutating func moveTasksOfFirst(all: Bool, to woken: inout WaitList<WaitingTask>) {
    guard case .waiting(let task) = activity else { return }
    woken.append(task)
    if all {
      activity = .none
      machine.takeTasks().forEach { woken.append($0) }
    } else {
      activity = machine.popTask().map { .waiting($0) } ?? .none
    }
  }
}
