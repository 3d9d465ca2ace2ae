import TimerScheduling
import TimerSchedulingFoundation

/// Names for jobs that are given none: UUIDs of version 7, as RFC 9562 describes them.
///
/// Jobs that are due at one moment begin in the order of their names. So the names of a process come one after the other.
enum JobName {
  /// Guards the milliseconds since 1970 of the last name, and in twelve further bits its number among the names of the same
  /// millisecond. Later names go on with the next millisecond if there are more.
  private static let last = Lock<UInt64>(0)

  static func make() -> String {
    let milliseconds = UInt64(max(Date().timeIntervalSince1970, 0) * 1_000)
    let count = last.withLock { last in
      last = max(milliseconds << 12, last + 1)
      return last
    }
    let (time, random) = (count >> 12, UUID().uuid)
    return UUID(
      uuid: (
        UInt8(truncatingIfNeeded: time >> 40), UInt8(truncatingIfNeeded: time >> 32),
        UInt8(truncatingIfNeeded: time >> 24), UInt8(truncatingIfNeeded: time >> 16),
        UInt8(truncatingIfNeeded: time >> 8), UInt8(truncatingIfNeeded: time),
        0x70 | UInt8(truncatingIfNeeded: count >> 8 & 0xF), UInt8(truncatingIfNeeded: count),
        random.8, random.9, random.10, random.11, random.12, random.13, random.14, random.15
      )
    ).uuidString.lowercased()
  }
}
