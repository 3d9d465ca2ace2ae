#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// Spreads threads over the parts of a structure.
package enum CurrentThread {
  /// A number below `count`, a power of two, that stays the same for the thread. Other threads mostly have others.
  package static func number(below count: Int) -> Int {
    // Addresses of threads differ in few of their bits. The highest bits of the product depend on all of them.
    #if os(Android)
    let address = pthread_self()
    #else
    let address = Int(bitPattern: pthread_self())
    #endif
    return Int((UInt64(UInt(bitPattern: address)) &* 0x9E37_79B9_7F4A_7C15) >> 32) & (count - 1)
  }
}
