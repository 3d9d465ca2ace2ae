/// A timer's listeners, each with its cursor and its waiting tasks.
///
/// Most timers have one listener, which takes no heap memory. With many, each joins, leaves, takes and is woken in
/// O(1).
struct Listeners: ~Copyable {
  /// Identifies a listener. It is never reused within a timer.
  struct ID: Sendable, Hashable {
    let number: UInt64
    static let first = ID(number: 0)
  }

  private struct Listener {
    var cursor: TickCursor
    var tasks = WaitList<WaitingTask>()
  }

  /// The listeners other than the inline one.
  private final class Others {
    var byID: [ID: Listener] = [:]
    /// The identifiers of listeners with waiting tasks, in the order in which they began to wait, and of some that
    /// have left.
    var waiting: [ID] = []
    /// The number of identifiers in `waiting` whose listeners haven't left.
    var waitingCount = 0
    /// The tally of cursors, including the inline listener's.
    var ahead = CursorTally()

    func isWaiting(_ id: ID) {
      waiting.append(id)
      waitingCount += 1
    }
  }

  private var inline: (id: ID, listener: Listener)?
  /// Made for the second listener.
  private var others: Others?
  private var joinedCount: UInt64 = 0

  var isEmpty: Bool { inline == nil && others?.byID.isEmpty != false }

  // MARK: Joining and leaving

  /// Adds a listener. `taken` is the ledger's ``TickLedger/settled``.
  mutating func join(_ cursor: TickCursor, taken: TickCursor) -> ID {
    let id = ID(number: joinedCount)
    joinedCount += 1
    if isEmpty { others = nil }
    if inline == nil {
      inline = (id, Listener(cursor: cursor))
    } else {
      makeOthers(taken: taken).byID[id] = Listener(cursor: cursor)
    }
    others?.ahead.enter(cursor, taken: taken)
    return id
  }

  private mutating func makeOthers(taken: TickCursor) -> Others {
    if let others { return others }
    let others = Others()
    if let inline { others.ahead.enter(inline.listener.cursor, taken: taken) }
    self.others = others
    return others
  }

  /// Removes a listener. Returns its waiting tasks, or nil if it had already left.
  mutating func leave(_ id: ID) -> WaitList<WaitingTask>? {
    if let (inlineID, listener) = inline, inlineID == id {
      inline = nil
      others?.ahead.remove(listener.cursor)
      return listener.tasks
    }
    guard let others, let listener = others.byID.removeValue(forKey: id) else { return nil }
    others.ahead.remove(listener.cursor)
    if !listener.tasks.isEmpty {
      others.waitingCount -= 1
      // Limits the number of identifiers of listeners that have left.
      if others.waiting.count > 2 * others.waitingCount + 64 {
        others.waiting.removeAll { others.byID[$0] == nil }
      }
    }
    return listener.tasks
  }

  /// Returns a cursor of the slowest listener, or nil without listeners. Cursors up to `taken` count as equal.
  func slowest(taken: TickCursor) -> TickCursor? {
    guard let others else { return inline.map { max($0.listener.cursor, taken) } }
    return isEmpty ? nil : others.ahead.slowest(of: (inline == nil ? 0 : 1) + others.byID.count, taken: taken)
  }

  // MARK: Taking

  func cursor(of id: ID) -> TickCursor? {
    if let (inlineID, listener) = inline, inlineID == id { return listener.cursor }
    return others?.byID[id]?.cursor
  }

  /// Moves a listener that has taken a tick to `cursor`.
  mutating func move(_ id: ID, to cursor: TickCursor, taken: TickCursor) {
    if let (inlineID, listener) = inline, inlineID == id {
      others?.ahead.move(from: listener.cursor, taken: taken)
      inline?.listener.cursor = cursor
    } else if let others, let listener = others.byID[id] {
      others.ahead.move(from: listener.cursor, taken: taken)
      others.byID[id]?.cursor = cursor
    }
  }

  /// Returns whether a listener's cursor satisfies `isSo`.
  func contains(where isSo: (TickCursor) -> Bool) -> Bool {
    if let inline, isSo(inline.listener.cursor) { return true }
    return others?.byID.contains { isSo($0.value.cursor) } ?? false
  }

  // MARK: Waiting

  /// Whether any task is waiting.
  var isAwaited: Bool {
    inline?.listener.tasks.isEmpty == false || others.map { $0.waitingCount > 0 } ?? false
  }

  /// Adds a waiting task, unless its listener has left.
  mutating func add(_ task: WaitingTask, to id: ID) {
    if inline?.id == id {
      inline?.listener.tasks.append(task)
    } else if let others, let listener = others.byID[id] {
      if listener.tasks.isEmpty { others.isWaiting(id) }
      others.byID[id]?.tasks.append(task)
    }
  }

  /// Removes one waiting task of each listener whose cursor `isToWake` accepts, or with `all` every task.
  ///
  /// `isComplete` is false if one of these listeners has another waiting task, as when two tasks share a stream.
  ///
  /// - Complexity: O(*n*) in the number of waiting listeners.
  mutating func takeTasks(
    all: Bool, where isToWake: (TickCursor) -> Bool
  ) -> (WaitList<WaitingTask>, isComplete: Bool) {
    var woken = WaitList<WaitingTask>()
    var isComplete = true
    if let listener = inline?.listener, all || isToWake(listener.cursor) {
      inline?.listener.tasks.move(all: all, to: &woken)
      if inline?.listener.tasks.isEmpty == false { isComplete = false }
    }
    guard let others, !others.waiting.isEmpty else { return (woken, isComplete) }
    let candidates = others.waiting
    (others.waiting, others.waitingCount) = ([], 0)
    for id in candidates {
      guard let listener = others.byID[id] else { continue }
      let isWoken = all || isToWake(listener.cursor)
      if isWoken { others.byID[id]?.tasks.move(all: all, to: &woken) }
      guard others.byID[id]?.tasks.isEmpty == false else { continue }
      others.isWaiting(id)
      if isWoken { isComplete = false }
    }
    return (woken, isComplete)
  }
}
