import Foundation
import Synchronization

/// The tasks that were made and haven't begun yet.
///
/// A thread makes tasks faster than they begin, and one that is cancelled before it begins has never slept.
final class TaskBacklog: Sendable {
  private let madeCount = Atomic<Int>(0)
  private let begunCount = Atomic<Int>(0)

  func noteMade() {
    madeCount.add(1, ordering: .relaxed)
  }

  func noteBegun() {
    begunCount.add(1, ordering: .relaxed)
  }

  /// Blocks until all have begun.
  func wait() {
    while begunCount.load(ordering: .relaxed) < madeCount.load(ordering: .relaxed) {
      Thread.sleep(forTimeInterval: 0.000_1)
    }
  }
}
