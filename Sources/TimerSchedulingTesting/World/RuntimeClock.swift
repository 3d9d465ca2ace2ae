#if os(Linux) && _pointerBitWidth(_64)
import TimerScheduling

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The redirect of `clock_gettime` in the libraries of Swift's clocks and of `Date`.
enum RuntimeClock {
  typealias Function = @convention(c) (clockid_t, UnsafeMutablePointer<timespec>?) -> CInt

  static let isRedirected: Bool = {
    let replacement: Function = { clock, time in
      guard let time = unsafe time else { return -1 }
      if let shown = World.shownTime?.value(of: clock) {
        let (seconds, rest) = shown.quotientAndRemainder(dividingBy: 1_000_000_000)
        let borrowed: Int64 = rest < 0 ? 1 : 0
        unsafe time.pointee = timespec(
          tv_sec: Int(seconds - borrowed), tv_nsec: Int(rest + borrowed * 1_000_000_000))
        return 0
      }
      return unsafe clock_gettime(clock, time)
    }
    // Dispatch keeps the real time, by which the kit itself waits.
    let libraries = ["libswift_Concurrency.", "libFoundation.", "libFoundationEssentials."]
    let count = unsafe Runtime.redirect(
      "clock_gettime", to: unsafeBitCast(replacement, to: UnsafeRawPointer.self)
    ) { name in libraries.contains { name.contains($0) } }
    return count > 0
  }()
}
#endif
