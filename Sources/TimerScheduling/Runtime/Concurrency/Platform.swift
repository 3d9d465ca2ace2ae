#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

package enum CurrentThread {
  /// Returns a number below `count`, a power of two, that is always the same for a thread, and mostly differs
  /// between threads.
  package static func number(below count: Int) -> Int {
    #if os(Android)
    let address = pthread_self()
    #else
    let address = Int(bitPattern: pthread_self())
    #endif
    // Thread addresses differ in few of their bits.
    return Int(truncatingIfNeeded: UInt64(UInt(bitPattern: address)).mixed) & (count - 1)
  }

  static func yield() { sched_yield() }
}

/// A pointer that each thread has of its own. It is nil at first.
package struct ThreadPointer: Sendable {
  private let key: pthread_key_t

  package init() {
    var key = pthread_key_t()
    let failure = unsafe pthread_key_create(&key, nil)
    precondition(failure == 0, "The process has no thread-specific key left.")
    self.key = key
  }

  package var value: UnsafeMutableRawPointer? {
    get { unsafe pthread_getspecific(key) }
    nonmutating set { unsafe pthread_setspecific(key, newValue) }
  }
}

package enum StandardError {
  /// Writes a line in one call, so that lines of several threads don't mix.
  package static func print(_ line: String) {
    var text = line + "\n"
    text.withUTF8 { bytes in _ = unsafe write(STDERR_FILENO, bytes.baseAddress, bytes.count) }
  }

  /// Writes that a part of the program has thrown an error, with a sentence after it.
  package static func printFailure(of part: String, _ error: any Error, _ rest: String) {
    // Some errors describe themselves by sentences.
    let text = "\(error)"
    print("TimerScheduling: \(part) has thrown \(text)\(text.hasSuffix(".") ? "" : ".") \(rest)")
  }
}
