#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// Distributes threads over the parts of a structure.
package enum CurrentThread {
  /// Returns a number below `count`, a power of two. It is always the same for a thread, and mostly differs between
  /// threads.
  package static func number(below count: Int) -> Int {
    // Thread addresses differ in few of their bits. The highest bits of the product depend on all of them.
    #if os(Android)
    let address = pthread_self()
    #else
    let address = Int(bitPattern: pthread_self())
    #endif
    return Int((UInt64(UInt(bitPattern: address)) &* 0x9E37_79B9_7F4A_7C15) >> 32) & (count - 1)
  }
}
