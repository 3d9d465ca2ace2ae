/// A consumer that has joined a timer: its cursor, its waiting tasks, and its place among the listeners.
///
/// All are guarded by the lock of the timer. A listener leaves its timer before its owner releases it.
package final class Listener: @unchecked Sendable {
  @safe @exclusivity(unchecked) package var cursor = TickCursor.start
  @safe @exclusivity(unchecked) private var tasks = SmallList<WaitingTask>()
  // The listeners are a ring, in the order in which they joined. The references needn't be safe, as a
  // listener leaves the ring before it is released.
  @safe @exclusivity(unchecked) private unowned(unsafe) var next: Listener?
  @safe @exclusivity(unchecked) private unowned(unsafe) var previous: Listener?
  /// The position in ``Waiting``, or -1.
  @safe @exclusivity(unchecked) fileprivate var waitingPosition: Int32 = -1
  /// Whether the listener has joined and not left.
  @safe @exclusivity(unchecked) private(set) var isListening = false
  /// Whether a task has taken a tick and may not have suspended since then.
  @safe @exclusivity(unchecked) var hasTaken = false

  package init() {}

  /// Joins the listeners of which `first` joined first.
  package func join(_ first: inout Listener?) {
    isListening = true
    guard let after = first, let before = after.previous else {
      (next, previous, first) = (self, self, self)
      return
    }
    (next, previous) = (after, before)
    (before.next, after.previous) = (self, self)
  }

  /// Leaves the listeners of which `first` joined first, which refer to this one without holding it: it
  /// leaves before it is released. Returns false if it had already left.
  package func leave(_ first: inout Listener?) -> Bool {
    guard isListening, let after = next, let before = previous else { return false }
    isListening = false
    if after === self {
      first = nil
    } else {
      if first === self { first = after }
      (before.next, after.previous) = (after, before)
    }
    return true
  }

  // MARK: Waiting

  /// Adds a task that waits. Returns whether it is the first.
  func add(_ task: WaitingTask) -> Bool { tasks.append(task) == 0 }

  func takeTasks() -> SmallList<WaitingTask> {
    defer { tasks = SmallList() }
    return tasks
  }

  /// Moves one waiting task, or all, to `woken` if the cursor is before `end` or with `all`. Returns whether
  /// none is left.
  func moveTasks(all: Bool, before end: TickCursor, to woken: inout SmallList<WaitingTask>) -> Bool {
    if all || cursor < end { tasks.move(all: all, to: &woken) }
    return tasks.isEmpty
  }

  /// Returns whether this listener, which joined first, or another has a cursor before `end`.
  func isAny(before end: TickCursor) -> Bool {
    if cursor < end { return true }
    var other = next
    while let listener = other, listener !== self {
      if listener.cursor < end { return true }
      other = listener.next
    }
    return false
  }
}

extension Listener {
  /// Listeners with waiting tasks, which hold their listener. Each is added, removed and woken in O(1).
  struct Waiting {
    private var listeners: [Listener] = []
    /// A cursor before which no listener waits.
    private var lowest = TickCursor.end

    var isEmpty: Bool { listeners.isEmpty }

    mutating func add(_ listener: Listener) {
      place(listener, at: listeners.count)
      listeners.append(listener)
    }

    private mutating func place(_ listener: Listener, at position: Int) {
      listener.waitingPosition = Int32(position)
      lowest = min(lowest, listener.cursor)
    }

    /// Removes a listener if it is here.
    mutating func remove(_ listener: Listener) {
      guard listener.waitingPosition >= 0, let last = listeners.popLast() else { return }
      if last !== listener {
        listeners[Int(listener.waitingPosition)] = last
        last.waitingPosition = listener.waitingPosition
      }
      listener.waitingPosition = -1
    }

    /// Moves one waiting task of each listener with a cursor before `end`, or with `all` every task, to
    /// `woken`.
    ///
    /// - Complexity: O(*n*) in the number of waiting listeners, or O(1) if there is no such task.
    mutating func moveTasks(all: Bool, before end: TickCursor, to woken: inout SmallList<WaitingTask>) {
      guard all || lowest < end else { return }
      lowest = .end
      var kept = 0
      for position in listeners.indices {
        let listener = listeners[position]
        if listener.moveTasks(all: all, before: end, to: &woken) {
          listener.waitingPosition = -1
        } else {
          // Another task may share the listener. The next change wakes it.
          listeners[kept] = listener
          place(listener, at: kept)
          kept += 1
        }
      }
      listeners.removeLast(listeners.count - kept)
    }
  }
}
