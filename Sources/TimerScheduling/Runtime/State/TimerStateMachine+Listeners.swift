/// The consumers of the ticks. Without a listener, a function is about the timer's own consumer.
extension TimerStateMachine {
  private var ownCursor: TickCursor? { if case .none = consumer { nil } else { cursor } }

  package var actionCursor: TickCursor? { hasAction ? cursor : nil }

  var isUnheld: Bool { handleCount == 0 && extras?.firstListener == nil }

  /// Adds a listener, unless there are other consumers and the rule must first be asked which dates were
  /// theirs alone. Returns the question then.
  package mutating func join(_ listener: Listener, at now: () -> ClockReading) -> RuleQuestion? {
    let isAlone = ownCursor == nil && extras?.firstListener == nil
    if !isAlone, let question = ask(at: now) { return question }
    listener.cursor = join(isAlone: isAlone, at: now)
    listener.join(&makeExtras().firstListener)
    return nil
  }

  /// Removes a listener, or the timer's stream. Returns its waiting tasks, or nil if it had already left.
  package mutating func leave(_ listener: Listener?) -> SmallList<WaitingTask>? {
    let tasks: SmallList<WaitingTask>
    if let listener {
      guard let extras, listener.leave(&extras.firstListener) else { return nil }
      extras.waiting.remove(listener)
      tasks = listener.takeTasks()
    } else {
      guard case .stream(let waiting) = consumer else { return nil }
      consumer = .none
      tasks = waiting
    }
    if let first = ownCursor ?? extras?.firstListener?.cursor { listenerLeft(first: first) }
    return tasks
  }

  package mutating func take(_ listener: Listener?, at now: () -> ClockReading) -> TakeResult {
    guard var cursor = cursor(of: listener) else { return .finished }
    let taken = take(&cursor, at: now)
    if let listener { listener.cursor = cursor } else { extras?.cursor = cursor }
    if case .tick = taken {
      if let listener { listener.hasTaken = true } else { flags.insert(.hasTaken) }
    }
    return taken
  }

  /// Returns whether a task of the consumer has taken a tick since the last call. Then it may not have
  /// suspended since that.
  mutating func hasTaken(_ listener: Listener?) -> Bool {
    guard let listener else { return flags.remove(.hasTaken) != nil }
    defer { listener.hasTaken = false }
    return listener.hasTaken
  }

  /// The cursor of a consumer. Nil if it has left.
  private func cursor(of listener: Listener?) -> TickCursor? {
    guard let listener else { return ownCursor }
    return listener.isListening ? listener.cursor : nil
  }

  package func mustWait(_ listener: Listener?) -> Bool { cursor(of: listener).map { mustWait($0) } ?? false }

  package func canTake(_ listener: Listener?) -> Bool { cursor(of: listener).map { canTake($0) } ?? false }

  /// Returns whether the stream or a listener has a cursor before `end`.
  func containsListener(before end: TickCursor) -> Bool {
    if case .stream = consumer, cursor < end { return true }
    return extras?.firstListener?.isAny(before: end) ?? false
  }

  /// Adds a task if its consumer must wait.
  package mutating func wait(_ task: WaitingTask, as listener: Listener?) -> Bool {
    guard mustWait(listener) else { return false }
    if let listener {
      if listener.add(task) { makeExtras().waiting.add(listener) }
    } else if case .stream(var tasks) = consumer {
      tasks.append(task)
      consumer = .stream(tasks)
    }
    return true
  }

  /// Whether a consumer is waiting and will take a tick at once.
  package var isAwaited: Bool {
    switch consumer {
    case .action where !isRunning: true
    case .stream(let tasks) where !tasks.isEmpty: true
    case .action, .stream, .none: extras?.waiting.isEmpty == false
    }
  }

  /// Moves a waiting task of each consumer that has a tick to take, or with `all` every task, to `woken`.
  mutating func moveTasks(all: Bool, to woken: inout SmallList<WaitingTask>) {
    if case .stream(var tasks) = consumer, !tasks.isEmpty, all || cursor < readyBefore {
      tasks.move(all: all, to: &woken)
      consumer = .stream(tasks)
    }
    if let extras, !extras.waiting.isEmpty {
      extras.waiting.moveTasks(all: all, before: readyBefore, to: &woken)
    }
  }
}
