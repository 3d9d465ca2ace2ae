import Foundation
import TestSupport
import Testing
import TimerScheduling

@Suite(.limited) struct LockTests {
  private final class Shared: Sendable {
    /// Guards a count.
    let lock = Lock(0)
  }

  private let shared = Shared()

  // On Linux, Swift's mutex is passed to a thread that has to be woken first. Then each section takes a
  // sleep.
  @Test(.tags(.threads), .guarantee("G118")) func `Threads that share a lock seldom go to sleep`() async {
    let sectionCount = ProcessFacts.isUnderSanitizer ? 5_000 : 200_000
    let sleeps = await Threads.run(8) { [shared] _ in
      for _ in 0..<sectionCount { shared.lock.withLock { $0 += 1 } }
    }
    #expect(shared.lock.withLock(\.self) == 8 * sectionCount)
    // Under a sanitizer, threads sleep for its own locks.
    #expect(sleeps < 8 * sectionCount / 20 || ProcessFacts.isUnderSanitizer)
  }

  @Test func `A lock that is held isn't waited for by a caller that wants it only if it is free`() async {
    let lock = Lock(1)
    let found = lock.withLock { _ in lock.withLockIfFree { $0 } }
    #expect(found == nil)
    #expect(lock.withLockIfFree { $0 } == 1)
  }

  @Test func `A thread that waits for long for a lock gets it in the end`() async {
    await Threads.run(4) { [shared] _ in
      for _ in 0..<10 {
        shared.lock.withLock { count in
          // Longer than any thread tries before it blocks.
          usleep(5000)
          count += 1
        }
      }
    }
    #expect(shared.lock.withLock(\.self) == 40)
  }
}
