/// Tasks that wait for the same event, in the order in which they came, each with its own condition.
///
/// Mostly one task waits, which takes no heap memory.
package struct WaitList<Waiter> {
  private var first: Waiter?
  /// The number of waiters that have given up and are still in the list. It lies in the padding of `first`.
  private var goneCount: UInt32 = 0
  private var others: [Waiter] = []

  package init() {}

  package var isEmpty: Bool { first == nil }

  package mutating func append(_ waiter: Waiter) {
    if first == nil { first = waiter } else { others.append(waiter) }
  }

  package mutating func popFirst() -> Waiter? {
    defer { first = others.isEmpty ? nil : others.removeFirst() }
    return first
  }

  package mutating func takeAll() -> [Waiter] {
    defer { self = WaitList() }
    return first.map { [$0] + others } ?? []
  }

  /// Removes and returns waiters from the start of the list, as long as `isOver` is true.
  package mutating func takeFirst(while isOver: (Waiter) -> Bool) -> [Waiter] {
    guard let first, isOver(first) else { return [] }
    let over = [first] + others.prefix(while: isOver)
    others.removeFirst(over.count - 1)
    self.first = others.isEmpty ? nil : others.removeFirst()
    return over
  }

  /// Notes that a waiter has given up. It stays in the list until it is taken with others that are over, or most have
  /// given up.
  ///
  /// - Complexity: O(1) on average.
  package mutating func gaveUp(_ isGone: (Waiter) -> Bool) {
    goneCount += 1
    guard goneCount > others.count / 2 + 16 else { return }
    let all = takeAll()
    for waiter in all where !isGone(waiter) { append(waiter) }
  }

  /// Moves the first waiter, or all, to the end of another list.
  package mutating func move(all: Bool, to other: inout WaitList) {
    if !all {
      if let first = popFirst() { other.append(first) }
    } else if other.isEmpty {
      swap(&self, &other)
    } else {
      takeAll().forEach { other.append($0) }
    }
  }
}

extension WaitList: Sendable where Waiter: Sendable {}

extension WaitList<WaitingTask> {
  consuming func resumeAll() {
    first?.resume()
    for task in others { task.resume() }
  }
}
