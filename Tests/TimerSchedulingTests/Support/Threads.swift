import Foundation
import TestSupport

/// Separate threads, because tasks never use more threads than there are processors.
enum Threads {
  /// Runs `body` on `count` threads at once, with a number each, and waits for them.
  ///
  /// Returns the number of times that they have gone to sleep, in total.
  @discardableResult
  static func run(_ count: Int, _ body: @escaping @Sendable (_ number: Int) -> Void) async -> Int {
    let sleeps = Journal<Int>()
    for number in 0..<count {
      Thread.detachNewThread {
        let before = ProcessFacts.voluntarySwitchesOfCallingThread
        body(number)
        sleeps.note(ProcessFacts.voluntarySwitchesOfCallingThread - before)
      }
    }
    for _ in 0..<count { _ = await sleeps.next() }
    return sleeps.entries.reduce(0, +)
  }
}
