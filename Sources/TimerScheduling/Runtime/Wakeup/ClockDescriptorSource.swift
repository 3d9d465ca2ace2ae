package import Dispatch

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A timer of Linux on the wall clock, which also wakes the driver when that clock is set, forward or back.
package final class ClockDescriptorSource: WakeupSource {
  #if os(Linux)
  private typealias Create = @convention(c) (Int32, Int32) -> Int32
  /// The system's `itimerspec`: two times, each in seconds and nanoseconds.
  private typealias Times = (interval: (Int, Int), first: (Int, Int))
  private typealias SetTime =
    @convention(c) (Int32, Int32, UnsafeRawPointer, UnsafeMutableRawPointer?) -> Int32

  // The header of these functions is in no module of Swift.
  private static let create = function("timerfd_create", as: Create.self)
  private static let setTime = unsafe function("timerfd_settime", as: SetTime.self)

  private static func function<Function>(_ name: String, as _: Function.Type) -> Function? {
    unsafe dlsym(nil, name).map { unsafe unsafeBitCast($0, to: Function.self) }
  }

  package static var isSupported: Bool { unsafe create != nil && setTime != nil }

  private let descriptor: Int32
  private let source: any DispatchSourceRead

  /// Creates a source that calls `onWakeup` on the queue when an armed deadline has come or the clock was
  /// set. Returns nil if the system has no such timers, or the process no descriptor left.
  package init?(queue: DispatchQueue, onWakeup: @escaping @Sendable () -> Void) {
    let descriptor = Self.create?(CLOCK_REALTIME, O_NONBLOCK | O_CLOEXEC) ?? -1
    guard descriptor >= 0, Self.isSupported else { return nil }
    self.descriptor = descriptor
    source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
    // A closure that inherited the caller's isolation would trap on Dispatch's queue.
    source.setEventHandler { @Sendable in
      // Fails with ECANCELED if the clock was set.
      var count: UInt64 = 0
      _ = unsafe read(descriptor, &count, 8)
      onWakeup()
    }
    source.setCancelHandler { @Sendable in _ = close(descriptor) }
    source.activate()
    // From now on, the system notes that the clock was set.
    disarm()
  }

  deinit { source.cancel() }

  package func arm(at deadline: Deadline) {
    // A time of zero would disarm the timer.
    let (seconds, rest) = max(deadline.nanoseconds, 1).quotientAndRemainder(dividingBy: 1_000_000_000)
    set((Int(seconds), Int(rest)))
  }

  package func disarm() { set((0, 0)) }

  /// An absolute time. Setting the clock cancels the timer, which is a wakeup, too.
  private static let flags: Int32 = 1 | 2

  private func set(_ first: (Int, Int)) {
    var times: Times = (interval: (0, 0), first: first)
    if let result = unsafe Self.setTime?(descriptor, Self.flags, &times, nil), result < 0 {
      // ECANCELED: the clock was set before this call, which has taken the wakeup for that back.
      times.first = (0, 1)
      _ = unsafe Self.setTime?(descriptor, Self.flags, &times, nil)
    }
  }
  #else
  package static var isSupported: Bool { false }

  package init?(queue: DispatchQueue, onWakeup: @escaping @Sendable () -> Void) { nil }

  package func arm(at deadline: Deadline) {}
  package func disarm() {}
  #endif
}
