/// A time from now, in the unit that most timers take.
///
/// Splitting a `Duration` costs as much as starting a timer of libev, so workloads pass this type.
struct Delay: Sendable, Comparable {
  var nanoseconds: Int64

  var duration: Duration { .nanoseconds(nanoseconds) }

  var microseconds: Double { Double(nanoseconds) / 1e3 }

  init(nanoseconds: Int64) {
    self.nanoseconds = nanoseconds
  }

  init(_ duration: Duration) {
    let (seconds, attoseconds) = duration.components
    nanoseconds = seconds * 1_000_000_000 + attoseconds / 1_000_000_000
  }

  static func - (left: Delay, right: Delay) -> Delay {
    Delay(nanoseconds: left.nanoseconds - right.nanoseconds)
  }

  static func < (left: Delay, right: Delay) -> Bool { left.nanoseconds < right.nanoseconds }
}
