#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The CPU time that the calling thread has used, in nanoseconds. Other threads' work doesn't count.
func threadTime() -> UInt64 {
  var time = timespec()
  unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}
