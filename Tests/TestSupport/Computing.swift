import Foundation

/// Computes until the calling thread has used so much of a processor.
///
/// A test in virtual time can't measure this by `ContinuousClock`, which shows the virtual time.
package func compute(for duration: Duration) {
  let end = processorTime() + duration
  while processorTime() < end {}
}

/// The processor time that the calling thread has used.
package func processorTime() -> Duration { time(of: CLOCK_THREAD_CPUTIME_ID) }

/// The processor time that the process has used.
package func processTime() -> Duration { time(of: CLOCK_PROCESS_CPUTIME_ID) }

/// The real time, also in the body of `withVirtualClock`. Only the difference of two readings means
/// something.
package func realTime() -> Duration { time(of: CLOCK_MONOTONIC) }

private func time(of clock: clockid_t) -> Duration {
  // Two words for a `timespec`, whose members Swift 6.3.1 can't find in an optimized build.
  var time: (seconds: Int, nanoseconds: Int) = (0, 0)
  unsafe withUnsafeMutableBytes(of: &time) { bytes in
    guard let address = unsafe bytes.baseAddress?.assumingMemoryBound(to: timespec.self) else { return }
    unsafe clock_gettime(clock, address)
  }
  return .seconds(time.seconds) + .nanoseconds(time.nanoseconds)
}

/// Ends this process as failed after a minute. For the child process of a test that a fault could hang: a
/// time limit of Swift Testing waits until the test has ended.
package func endIfHanging(after seconds: UInt32 = 60) { alarm(seconds) }
