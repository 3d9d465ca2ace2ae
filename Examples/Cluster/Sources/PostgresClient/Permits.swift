/// Admits a number of tasks at a time. The others wait in the order in which they came.
///
/// It is a part of an actor, which resumes the tasks that this type returns.
struct Permits {
  typealias Continuation = CheckedContinuation<Void, any Error>

  private var free: Int
  private var waiting: [(id: Int, continuation: Continuation)] = []
  private var lastID = 0

  init(_ count: Int) {
    free = count
  }

  /// Takes a permit if one is free.
  mutating func take() -> Bool {
    guard free > 0 else { return false }
    free -= 1
    return true
  }

  /// Returns the identifier of the wait that begins now.
  mutating func makeID() -> Int {
    lastID += 1
    return lastID
  }

  mutating func wait(_ id: Int, _ continuation: Continuation) {
    waiting.append((id, continuation))
  }

  /// Ends a wait. Returns nil if a permit came first.
  mutating func cancel(_ id: Int) -> Continuation? {
    waiting.firstIndex { $0.id == id }.map { waiting.remove(at: $0).continuation }
  }

  /// Gives a permit back. Returns the task that has it now, if one waits.
  mutating func giveBack() -> Continuation? {
    guard !waiting.isEmpty else {
      free += 1
      return nil
    }
    return waiting.removeFirst().continuation
  }
}
