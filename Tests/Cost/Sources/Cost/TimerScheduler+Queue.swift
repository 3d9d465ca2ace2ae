import TimerScheduling

#if canImport(Glibc)
import Glibc
#else
import Foundation
#endif

/// The building blocks of the operations.
extension TimerScheduler {
  /// Performs an operation `count` times, and lets the scheduler process the requests after every 500 times.
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

  /// Waits until the scheduler has processed its requests.
  func settle() async {
    // The rest of this job goes to the end of the queue, behind the scheduler's pass.
    await Task.yield()
  }

  /// Blocks the queue, then lets the scheduler process the timers that have become due.
  func hold(_ duration: Duration) async {
    usleep(UInt32(duration / .microseconds(1)))
    await settle()
  }

  /// Exits while timers live, so that their end isn't counted.
  func end(holding timers: some Any) -> Never {
    withExtendedLifetime(timers) { exit(0) }
  }
}
