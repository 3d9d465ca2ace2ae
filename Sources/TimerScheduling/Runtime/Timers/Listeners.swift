/// The listeners of a timer besides its first consumer, each with its cursor and its waiting tasks.
///
/// Each joins, leaves, takes and is woken in O(1).
package final class Listeners {
  /// Identifies a listener. It is never reused within a timer.
  package struct ID: Sendable, Hashable {
    let number: UInt64

    /// The identifier of the first listener of a timer without an action.
    package static let first = ID(number: 0)
  }

  private struct Listener {
    var cursor: TickCursor
    var tasks = WaitList<WaitingTask>()
  }

  @safe @exclusivity(unchecked) private var byID: [ID: Listener] = [:]
  /// The identifiers of listeners with waiting tasks, in the order in which they began to wait, and of some that have
  /// left.
  @safe @exclusivity(unchecked) private var waiting: [ID] = []
  /// The number of identifiers in `waiting` whose listeners haven't left.
  @safe @exclusivity(unchecked) private var waitingCount = 0
  @safe @exclusivity(unchecked) private var ahead = CursorTally()
  /// The readiness for which the waiting listeners were last woken.
  @safe @exclusivity(unchecked) private var readiness: TimerStateMachine.Readiness?
  @safe @exclusivity(unchecked) private var joinedCount: UInt64 = 0

  var isEmpty: Bool { byID.isEmpty }
  /// Whether any task is waiting.
  var isAwaited: Bool { waitingCount > 0 }

  // MARK: Joining and leaving

  /// Adds a listener. `taken` is the ledger's ``TickLedger/settled``.
  func join(_ cursor: TickCursor, taken: TickCursor) -> ID {
    if isEmpty { ahead = CursorTally() }
    joinedCount += 1
    let id = ID(number: joinedCount)
    byID[id] = Listener(cursor: cursor)
    ahead.enter(cursor, taken: taken)
    return id
  }

  /// Removes a listener. Returns its waiting tasks, or nil if it had already left.
  func leave(_ id: ID) -> WaitList<WaitingTask>? {
    guard let listener = byID.removeValue(forKey: id) else { return nil }
    ahead.remove(listener.cursor)
    if !listener.tasks.isEmpty {
      waitingCount -= 1
      // Limits the number of identifiers of listeners that have left.
      if waiting.count > 2 * waitingCount + 64 { waiting.removeAll { byID[$0] == nil } }
    }
    return listener.tasks
  }

  /// Returns a cursor of the slowest listener, or nil without listeners. Cursors up to `taken` count as equal.
  func slowest(taken: TickCursor) -> TickCursor? {
    isEmpty ? nil : ahead.slowest(of: byID.count, taken: taken)
  }

  // MARK: Taking

  func cursor(of id: ID) -> TickCursor? { byID[id]?.cursor }

  /// Moves a listener that has taken a tick to `cursor`.
  func move(_ id: ID, to cursor: TickCursor, taken: TickCursor) {
    guard let old = byID[id]?.cursor else { return }
    ahead.move(from: old, taken: taken)
    byID[id]?.cursor = cursor
  }

  /// Returns whether a listener's cursor satisfies `isSo`.
  func contains(where isSo: (TickCursor) -> Bool) -> Bool { byID.contains { isSo($0.value.cursor) } }

  // MARK: Waiting

  /// Adds a waiting task, unless its listener has left.
  func add(_ task: WaitingTask, to id: ID, at readiness: TimerStateMachine.Readiness) {
    guard let listener = byID[id] else { return }
    if listener.tasks.isEmpty { isWaiting(id) }
    byID[id]?.tasks.append(task)
    // The listener may be owed a tick that it can't take now, for instance because the timer is paused.
    if self.readiness != readiness { self.readiness = nil }
  }

  private func isWaiting(_ id: ID) {
    waiting.append(id)
    waitingCount += 1
  }

  /// Moves one waiting task of each listener whose cursor `isToWake` accepts, or with `all` every task, to `woken`.
  ///
  /// - Complexity: O(*n*) in the number of waiting listeners, or O(1) if the readiness hasn't changed.
  func moveTasks(
    all: Bool, at readiness: TimerStateMachine.Readiness, to woken: inout WaitList<WaitingTask>,
    where isToWake: (TickCursor) -> Bool
  ) {
    guard all || self.readiness != readiness else { return }
    self.readiness = readiness
    let candidates = waiting
    (waiting, waitingCount) = ([], 0)
    for id in candidates {
      guard let listener = byID[id] else { continue }
      let isWoken = all || isToWake(listener.cursor)
      if isWoken { byID[id]?.tasks.move(all: all, to: &woken) }
      guard byID[id]?.tasks.isEmpty == false else { continue }
      isWaiting(id)
      // Another task shares the listener, and is woken by the next change.
      if isWoken { self.readiness = nil }
    }
  }
}
