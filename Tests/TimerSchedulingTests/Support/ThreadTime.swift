import Foundation

/// The CPU time that the calling thread has used, in nanoseconds. Other threads' work doesn't count.
func threadTime() -> Int {
  // Two words for a `timespec`, whose members Swift 6.3.1 can't find in an optimized build.
  var time: (seconds: Int, nanoseconds: Int) = (0, 0)
  unsafe withUnsafeMutableBytes(of: &time) { bytes in
    guard let address = unsafe bytes.baseAddress?.assumingMemoryBound(to: timespec.self) else { return }
    unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, address)
  }
  return time.seconds * 1_000_000_000 + time.nanoseconds
}
