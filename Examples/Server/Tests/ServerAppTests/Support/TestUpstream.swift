import Foundation
import ServerApp
import Synchronization
import TimerSchedulingTesting

/// Answers at once, and notes when it was asked.
final class TestUpstream: Upstream {
  struct Failure: Error {}

  private let clock: VirtualClock
  private let failing: Set<Int>
  private let all = Mutex<[Date]>([])

  /// Creates an upstream that fails at the calls of given numbers.
  init(on clock: VirtualClock, failing: Set<Int> = []) {
    self.clock = clock
    self.failing = failing
  }

  /// When it was asked.
  var calls: [Date] { all.withLock { $0 } }

  func fetch() async throws -> String {
    let number = all.withLock { calls in
      calls.append(clock.date)
      return calls.count - 1
    }
    if failing.contains(number) { throw Failure() }
    return "answer \(number)"
  }
}
