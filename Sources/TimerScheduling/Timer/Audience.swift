/// A timer's listeners: how far each has come, and which of its tasks wait.
///
/// Most timers have one, which takes no memory of its own.
struct Audience: Sendable {
  private struct Listener: Sendable {
    let id: ListenerID
    var cursor: TickCursor
    var consumers = WaitingConsumers()

    mutating func giveUpConsumers(
      all: Bool, to woken: inout WaitingConsumers, where isToWake: (TickCursor) -> Bool
    ) {
      guard !consumers.isEmpty, isToWake(cursor) else { return }
      while let consumer = consumers.takeFirst() {
        woken.add(consumer)
        if !all { return }
      }
    }
  }

  /// Stands for a listener; never reused within a timer.
  struct ListenerID: Sendable, Equatable {
    let number: UInt32
    static let first = ListenerID(number: 0)
  }

  private var first: Listener?
  private var others: [Listener] = []
  private var joinedCount: UInt32 = 0

  var isEmpty: Bool { first == nil && others.isEmpty }
  var cursors: [TickCursor] { (first.map { [$0.cursor] } ?? []) + others.map(\.cursor) }

  // MARK: Joining and leaving

  mutating func join(_ cursor: TickCursor) -> ListenerID {
    let id = ListenerID(number: joinedCount)
    joinedCount += 1
    let listener = Listener(id: id, cursor: cursor)
    if first == nil { first = listener } else { others.append(listener) }
    return id
  }

  /// Returns the tasks of the listener that waited, or nil if it had left before.
  mutating func leave(_ id: ListenerID) -> WaitingConsumers? {
    if let listener = first, listener.id == id {
      first = nil
      return listener.consumers
    }
    guard let position = others.firstIndex(where: { $0.id == id }) else { return nil }
    return others.remove(at: position).consumers
  }

  // MARK: Waiting

  func contains(where isSo: (TickCursor) -> Bool) -> Bool {
    if let first, isSo(first.cursor) { return true }
    return others.contains { isSo($0.cursor) }
  }

  /// Whether any task waits.
  var isAwaited: Bool {
    if let first, !first.consumers.isEmpty { return true }
    return others.contains { !$0.consumers.isEmpty }
  }

  /// Adds a waiting task, unless its listener has left.
  mutating func add(_ consumer: WaitingConsumer, to id: ListenerID) {
    withListener(id) { $0.consumers.add(consumer) }
  }

  func cursor(of id: ListenerID) -> TickCursor? {
    if let first, first.id == id { return first.cursor }
    return others.first { $0.id == id }?.cursor
  }

  /// Moves the cursor of a listener, or returns nil if it has left.
  mutating func withCursor<Result>(of id: ListenerID, _ body: (inout TickCursor) -> Result) -> Result? {
    withListener(id) { body(&$0.cursor) }
  }

  /// Takes out one waiting task of each listener that `isToWake` names, or all of theirs.
  mutating func takeConsumers(all: Bool, where isToWake: (TickCursor) -> Bool) -> WaitingConsumers {
    var woken = WaitingConsumers()
    first?.giveUpConsumers(all: all, to: &woken, where: isToWake)
    for position in others.indices {
      others[position].giveUpConsumers(all: all, to: &woken, where: isToWake)
    }
    return woken
  }

  private mutating func withListener<Result>(
    _ id: ListenerID, _ body: (inout Listener) -> Result
  ) -> Result? {
    if var listener = first, listener.id == id {
      defer { first = listener }
      return body(&listener)
    }
    guard let position = others.firstIndex(where: { $0.id == id }) else { return nil }
    return body(&others[position])
  }
}
