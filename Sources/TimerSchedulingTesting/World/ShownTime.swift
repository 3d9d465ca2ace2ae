import Synchronization
import TimerScheduling

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// The time of a virtual clock as any thread reads it without a lock, and what the clocks of the system show
/// in a body.
///
/// There they go on from their real time at the beginning of the clock, and the date is that of the virtual
/// clock.
final class ShownTime: Sendable {
  private let monotonic: Atomic<Int64>
  private let wall: Atomic<Int64>
  private let steady = ShownTime.real(CLOCK_MONOTONIC)
  private let boot = ShownTime.real(bootClock)

  init(_ now: ClockReading) {
    monotonic = Atomic(now.monotonic.nanoseconds)
    wall = Atomic(now.wall.nanoseconds)
  }

  func set(_ now: ClockReading) {
    monotonic.store(now.monotonic.nanoseconds, ordering: .relaxed)
    wall.store(now.wall.nanoseconds, ordering: .relaxed)
  }

  /// The present time of the monotonic clock.
  var now: Deadline { Deadline(nanoseconds: monotonic.load(ordering: .relaxed)) }

  /// Returns the time of a clock of the system, in nanoseconds. Nil for one that measures the processor's
  /// time.
  func value(of clock: clockid_t) -> Int64? {
    let passed = (now - VirtualTime.beginning).nanoseconds
    #if os(Linux)
    switch clock {
    case CLOCK_REALTIME, CLOCK_REALTIME_COARSE: return wall.load(ordering: .relaxed)
    case CLOCK_MONOTONIC, CLOCK_MONOTONIC_COARSE, CLOCK_MONOTONIC_RAW: return steady + passed
    case CLOCK_BOOTTIME: return boot + passed
    default: return nil
    }
    #else
    return nil
    #endif
  }

  #if os(Linux) || os(Android)
  private static var bootClock: clockid_t { CLOCK_BOOTTIME }
  #else
  private static var bootClock: clockid_t { CLOCK_MONOTONIC }
  #endif

  private static func real(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    unsafe clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}
