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
    // The first digit is the version's. The rest of a random UUID begins with the variant.
    let number = String(0x7000 | count & 0xFFF, radix: 16)
    let time = String(1 << 48 | count >> 12, radix: 16).dropFirst()
    return "\(time.prefix(8))-\(time.dropFirst(8))-\(number)\(UUID().uuidString.lowercased().dropFirst(18))"
  }
}
