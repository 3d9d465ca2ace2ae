import Synchronization

/// Counts the timers that have fired.
final class FireCounter: Sendable {
  private let number = Atomic<Int>(0)

  var count: Int { number.load(ordering: .relaxed) }

  func note() {
    number.add(1, ordering: .relaxed)
  }
}
