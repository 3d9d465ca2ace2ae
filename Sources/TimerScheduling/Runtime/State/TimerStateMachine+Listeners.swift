extension TimerStateMachine {
  /// The listener that joined first.
  ///
  /// It has the place of the run's task, which a timer without an action doesn't have. An action's timer has
  /// its listeners in the extras.
  private var firstListener: Listener? {
    get {
      if case .listener(let reference) = activity { return reference.listener }
      return extras?.firstListener
    }
    set {
      if hasAction {
        makeExtras().firstListener = newValue
      } else {
        activity = newValue.map { .listener(Activity.Reference(listener: $0)) } ?? .none
      }
    }
  }

  private var hasListeners: Bool {
    if case .listener = activity { true } else { extras?.firstListener != nil }
  }

  /// Adds a listener, unless there are others and the rule must first be asked which dates were theirs alone.
  /// Returns the question then.
  package mutating func join(_ listener: Listener, at now: () -> ClockReading) -> RuleQuestion? {
    let isAlone = !hasListeners && !hasAction
    if !isAlone, let question = ask(at: now) { return question }
    listener.cursor = join(isAlone: isAlone, at: now)
    listener.join(&firstListener)
    return nil
  }

  /// Removes a listener. Returns its waiting tasks, or nil if it had already left.
  package mutating func leave(_ listener: Listener) -> SmallList<WaitingTask>? {
    guard listener.leave(&firstListener) else { return nil }
    if let first = actionCursor ?? firstListener?.cursor { listenerLeft(first: first) }
    extras?.waiting.remove(listener)
    return listener.takeTasks()
  }

  var isUnheld: Bool { handleCount == 0 && !hasListeners }

  package var actionCursor: TickCursor? { hasAction ? cursor : nil }

  /// Takes a tick for a listener or, without one, for the action.
  package mutating func take(_ listener: Listener?, at now: () -> ClockReading)
    -> TakeResult
  {
    if let listener { return listener.isListening ? take(&listener.cursor, at: now) : .finished }
    var cursor = cursor
    defer { extras?.cursor = cursor }
    return take(&cursor, at: now)
  }

  package func mustWait(_ listener: Listener) -> Bool {
    listener.isListening && mustWait(listener.cursor)
  }

  package func canTake(_ listener: Listener) -> Bool {
    listener.isListening && canTake(listener.cursor)
  }

  func containsListener(before end: TickCursor) -> Bool {
    firstListener?.isAny(before: end) ?? false
  }

  /// Adds a task if its listener must wait.
  package mutating func wait(_ task: WaitingTask, as listener: Listener) -> Bool {
    guard mustWait(listener) else { return false }
    if listener.add(task) { makeExtras().waiting.add(listener) }
    return true
  }

  /// Whether a listener or the action is waiting and will take a tick at once.
  package var isAwaited: Bool {
    hasAction && !isRunning || firstListener?.waitsAlone == true || extras?.waiting.isEmpty == false
  }

  /// Moves a waiting task of each listener that has a tick to take, or with `all` every task, to `woken`.
  mutating func moveTasks(all: Bool, to woken: inout SmallList<WaitingTask>) {
    if let listener = firstListener, listener.waitsAlone {
      _ = listener.moveTasks(all: all, before: readyBefore, to: &woken)
    }
    if let extras, !extras.waiting.isEmpty {
      extras.waiting.moveTasks(all: all, before: readyBefore, to: &woken)
    }
  }
}
