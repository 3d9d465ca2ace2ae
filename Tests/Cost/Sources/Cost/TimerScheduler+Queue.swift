import TimerScheduling

#if canImport(Glibc)
import Glibc
#else
import Foundation
#endif

/// The building blocks of the operations.
extension TimerScheduler {
  /// Does something `count` times, and has the scheduler look at what it was asked after every 500 times.
  func inBatches<Result>(_ count: Int, _ work: (_ number: Int) -> Result) async -> [Result] {
    var results: [Result] = []
    results.reserveCapacity(count)
    for number in 0..<count {
      results.append(work(number))
      if number % 500 == 499 { await settle() }
    }
    await settle()
    return results
  }

  /// Waits until the scheduler has looked at what it was asked.
  func settle() async {
    // The rest of this job goes to the end of the queue, behind the scheduler's pass.
    await Task.yield()
  }

  /// Blocks the queue, then lets the scheduler do what has become due.
  func hold(_ duration: Duration) async {
    usleep(UInt32(duration / .microseconds(1)))
    await settle()
  }

  /// Exits while timers live, so that their end isn't counted.
  func end(holding timers: some Any) -> Never {
    withExtendedLifetime(timers) { exit(0) }
  }
}
