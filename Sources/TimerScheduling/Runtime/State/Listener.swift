/// A consumer of a timer's ticks: its cursor, its waiting tasks, and its place among the timer's listeners.
///
/// All are guarded by the lock of the timer. A listener leaves its timer before its owner releases it.
package final class Listener: @unchecked Sendable {
  @safe @exclusivity(unchecked) package var cursor = TickCursor.start
  @safe @exclusivity(unchecked) fileprivate var tasks = WaitList<WaitingTask>()
  // The listeners are a ring, in the order in which they joined. The references needn't be safe, as a listener leaves
  // the ring before it is released.
  @safe @exclusivity(unchecked) private unowned(unsafe) var next: Listener?
  @safe @exclusivity(unchecked) private unowned(unsafe) var previous: Listener?
  /// The position among the listeners with waiting tasks, if this is one of them.
  @safe @exclusivity(unchecked) fileprivate var waitingPosition: Int32 = 0
  /// Whether the listener has joined and not left.
  @safe @exclusivity(unchecked) private(set) var isListening = false
  /// Whether the timer ends with this listener.
  let isOwner: Bool

  init(isOwner: Bool) { self.isOwner = isOwner }

  package convenience init() { self.init(isOwner: false) }

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

  /// Leaves the listeners of which `first` joined first. Returns false if it had already left.
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
  /// The listeners of a timer with waiting tasks, each of which holds its listener.
  ///
  /// Each is added, removed and woken in O(1).
  struct Waiting {
    private var listeners: [Listener] = []
    /// A cursor before which no listener waits.
    private var lowest = TickCursor.end

    var isEmpty: Bool { listeners.isEmpty }

    mutating func add(_ task: WaitingTask, of listener: Listener) {
      if listener.tasks.isEmpty {
        waits(listener, at: listeners.count)
        listeners.append(listener)
      }
      listener.tasks.append(task)
    }

    private mutating func waits(_ listener: Listener, at position: Int) {
      listener.waitingPosition = Int32(position)
      lowest = min(lowest, listener.cursor)
    }

    /// Removes and returns the waiting tasks of a listener.
    mutating func takeTasks(of listener: Listener) -> WaitList<WaitingTask> {
      var tasks = WaitList<WaitingTask>()
      guard !listener.tasks.isEmpty, let last = listeners.popLast() else { return tasks }
      if last !== listener {
        listeners[Int(listener.waitingPosition)] = last
        last.waitingPosition = listener.waitingPosition
      }
      swap(&tasks, &listener.tasks)
      return tasks
    }

    /// Moves one waiting task of each listener with a cursor before `end`, or with `all` every task, to `woken`.
    ///
    /// - Complexity: O(*n*) in the number of waiting listeners, or O(1) if there is no such task.
    mutating func moveTasks(all: Bool, before end: TickCursor, to woken: inout WaitList<WaitingTask>) {
      guard all || lowest < end else { return }
      lowest = .end
      var kept = 0
      for position in listeners.indices {
        let listener = listeners[position]
        if all || listener.cursor < end { listener.tasks.move(all: all, to: &woken) }
        // Another task may share the listener. The next change wakes it.
        if listener.tasks.isEmpty { continue }
        listeners[kept] = listener
        waits(listener, at: kept)
        kept += 1
      }
      listeners.removeLast(listeners.count - kept)
    }
  }
}
