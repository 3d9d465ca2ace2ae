/// A timer's listeners: how far each has come, and which of its tasks wait.
///
/// Most timers have one, which takes no memory of its own. With many, each of them joins, leaves, takes and is woken
/// in O(1).
struct Listeners: Sendable {
  /// Identifies a listener; never reused within a timer.
  struct ID: Sendable, Hashable {
    let number: UInt64
    static let first = ID(number: 0)
  }

  private struct Listener: Sendable {
    var cursor: TickCursor
    var consumers = WaitingConsumers()
  }

  /// One listener without an entry in `others`, the timer's first or one that joined after it had left.
  private var inline: (id: ID, listener: Listener)?
  private var others: [ID: Listener] = [:]
  /// The identifiers of the `others` that have waiting tasks, in the order in which they began to wait, and of some
  /// that have left.
  private var waiting: [ID] = []
  /// The number of identifiers in `waiting` whose listeners are still there.
  private var waitingCount = 0
  private var ahead = CursorTally()
  private var joinedCount: UInt64 = 0

  var isEmpty: Bool { inline == nil && others.isEmpty }

  // MARK: Joining and leaving

  /// Adds a listener. `taken` is the ledger's ``TickLedger/settled``.
  mutating func join(_ cursor: TickCursor, taken: TickCursor) -> ID {
    let id = ID(number: joinedCount)
    joinedCount += 1
    if isEmpty { ahead = CursorTally() }
    ahead.enter(cursor, taken: taken)
    let listener = Listener(cursor: cursor)
    if inline == nil { inline = (id, listener) } else { others[id] = listener }
    return id
  }

  /// Removes a listener. Returns its waiting tasks, or nil if it had left before.
  mutating func leave(_ id: ID) -> WaitingConsumers? {
    if let (inlineID, listener) = inline, inlineID == id {
      inline = nil
      ahead.remove(listener.cursor)
      return listener.consumers
    }
    guard let listener = others.removeValue(forKey: id) else { return nil }
    ahead.remove(listener.cursor)
    if !listener.consumers.isEmpty {
      waitingCount -= 1
      // So that what is kept of those that have left doesn't outnumber those that are there.
      if waiting.count > 2 * waitingCount + 64 { waiting.removeAll { others[$0] == nil } }
    }
    return listener.consumers
  }

  /// A cursor for the slowest listener, or nil without listeners. Cursors up to `taken` count as alike.
  mutating func slowest(taken: TickCursor) -> TickCursor? {
    isEmpty ? nil : ahead.slowest(of: (inline == nil ? 0 : 1) + others.count, taken: taken)
  }

  // MARK: Taking

  func cursor(of id: ID) -> TickCursor? {
    if let (inlineID, listener) = inline, inlineID == id { return listener.cursor }
    return others[id]?.cursor
  }

  /// The listener has taken a tick, and has come to `cursor`.
  mutating func move(_ id: ID, to cursor: TickCursor, taken: TickCursor) {
    if let (inlineID, listener) = inline, inlineID == id {
      ahead.move(from: listener.cursor, taken: taken)
      inline?.listener.cursor = cursor
    } else if let listener = others[id] {
      ahead.move(from: listener.cursor, taken: taken)
      others[id]?.cursor = cursor
    }
  }

  /// Whether a listener is at a cursor for which `isSo` holds.
  func contains(where isSo: (TickCursor) -> Bool) -> Bool {
    if let inline, isSo(inline.listener.cursor) { return true }
    return others.contains { isSo($0.value.cursor) }
  }

  // MARK: Waiting

  /// Whether any task waits.
  var isAwaited: Bool { waitingCount > 0 || inline?.listener.consumers.isEmpty == false }

  /// Adds a waiting task, unless its listener has left.
  mutating func add(_ consumer: WaitingConsumer, to id: ID) {
    if inline?.id == id {
      inline?.listener.consumers.add(consumer)
    } else if let listener = others[id] {
      if listener.consumers.isEmpty { noteWaiting(id) }
      others[id]?.consumers.add(consumer)
    }
  }

  private mutating func noteWaiting(_ id: ID) {
    waiting.append(id)
    waitingCount += 1
  }

  /// Removes one waiting task of each listener whose cursor `isToWake` accepts, or with `all` every task.
  ///
  /// `isComplete` is false if one of these listeners has another task that waits, as where two tasks share a stream.
  ///
  /// - Complexity: O(*n*) in the number of listeners that wait.
  mutating func takeConsumers(
    all: Bool, where isToWake: (TickCursor) -> Bool
  ) -> (WaitingConsumers, isComplete: Bool) {
    var woken = WaitingConsumers()
    var isComplete = true
    if let listener = inline?.listener, all || isToWake(listener.cursor) {
      inline?.listener.consumers.moveFirst(all: all, to: &woken)
      if inline?.listener.consumers.isEmpty == false { isComplete = false }
    }
    guard !waiting.isEmpty else { return (woken, isComplete) }
    let candidates = waiting
    (waiting, waitingCount) = ([], 0)
    for id in candidates {
      guard let listener = others[id] else { continue }
      let isWoken = all || isToWake(listener.cursor)
      if isWoken { others[id]?.consumers.moveFirst(all: all, to: &woken) }
      guard others[id]?.consumers.isEmpty == false else { continue }
      noteWaiting(id)
      if isWoken { isComplete = false }
    }
    return (woken, isComplete)
  }
}
