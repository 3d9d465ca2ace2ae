import Foundation
import Synchronization
import TimerScheduling

/// Three threads that interrupt the threads of a test, so that they stop at other points in each run.
///
/// Each computes for half a millisecond and sleeps for as long, in turn: a thread that wakes up interrupts
/// another one at once. All tests that ask for the loops at one moment share them. If each had its own, the
/// tests would wait for one another's loops.
package final class BusyLoops: Sendable {
  /// The rounds of a test that finds a fault by chance.
  package static let rounds = 0..<TestSupport.rounds(10_000)

  private let isOver = Atomic(false)

  /// The number of tests that run beside the loops, and the loops. Guarded by its lock, which is taken alone.
  private static let shared = Lock<(users: Int, loops: BusyLoops?)>((0, nil))

  private init() {
    for _ in 0..<3 { Thread.detachNewThread { [self] in loop() } }
  }

  /// Calls no generic function of the standard library. In debug, such a call looks up types under locks that
  /// all threads share.
  private func loop() {
    while !isOver.load(ordering: .relaxed) {
      let end = DispatchTime.now().uptimeNanoseconds + 500_000
      while DispatchTime.now().uptimeNanoseconds < end {}
      usleep(500)
    }
  }

  /// Calls `body` with the loops beside it.
  package static func run<R>(_ body: () async throws -> R) async rethrows -> R {
    shared.withLock { shared in
      shared.users += 1
      if shared.loops == nil { shared.loops = BusyLoops() }
    }
    defer {
      shared.withLock { shared in
        shared.users -= 1
        guard shared.users == 0 else { return }
        shared.loops?.isOver.store(true, ordering: .relaxed)
        shared.loops = nil
      }
    }
    return try await body()
  }
}
