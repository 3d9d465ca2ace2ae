import Dispatch
import Foundation

/// A point in time on the monotonic clock, which all of the timers here go by.
struct Uptime: Sendable, Comparable {
  var nanoseconds: Int64

  static var now: Uptime { Uptime(nanoseconds: Int64(DispatchTime.now().uptimeNanoseconds)) }

  static func + (uptime: Uptime, delay: Delay) -> Uptime {
    Uptime(nanoseconds: uptime.nanoseconds + delay.nanoseconds)
  }

  static func - (left: Uptime, right: Uptime) -> Delay {
    Delay(nanoseconds: left.nanoseconds - right.nanoseconds)
  }

  static func < (left: Uptime, right: Uptime) -> Bool { left.nanoseconds < right.nanoseconds }

  /// Blocks the thread until this time, or not at all if it is over.
  func wait() {
    let rest = self - .now
    if rest > Delay(.zero) { Thread.sleep(forTimeInterval: Double(rest.nanoseconds) / 1e9) }
  }
}
