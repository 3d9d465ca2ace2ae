import Synchronization

/// A count that many tasks add to.
package final class Counter: Sendable {
  private let number = Atomic(0)

  package init() {}

  package var value: Int { number.load(ordering: .relaxed) }

  package func add() { number.add(1, ordering: .relaxed) }
}
