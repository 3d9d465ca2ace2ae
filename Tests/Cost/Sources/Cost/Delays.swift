import Dispatch

#if canImport(Glibc)
import Glibc
#else
import Foundation
#endif

/// Draws the distances of deadlines: the same numbers in every run.
struct Delays {
  private var state: UInt64 = 0

  /// One second to one hour: for timers that shouldn't fire.
  mutating func later() -> Duration {
    .seconds(1) + .nanoseconds(random() % 3_599_000_000_000)
  }

  /// Five to six seconds: for timers that should fire, which are all made within the first five. An hour more
  /// for the timers beside them that shouldn't fire.
  mutating func soon(_ isSoon: Bool) -> Duration {
    .seconds(isSoon ? 5 : 3605) + .nanoseconds(random() % 1_000_000_000)
  }

  /// The time after which all timers that are due soon have become due.
  static var longest: Duration { .seconds(6) }

  /// Waits for a time from which all timers that are due soon lie on one level of the timing wheel, because
  /// moving down from a higher one costs more.
  ///
  /// A timer that is due in more than 2³² ns lies on the same level up to the next multiple of 2³⁸ ns, 275
  /// seconds.
  static func awaitGoodTime() {
    let rest = (1 << 38) - DispatchTime.now().uptimeNanoseconds % (1 << 38)
    if rest < 10_000_000_000 { usleep(UInt32(rest / 1000)) }
  }

  /// SplitMix64, without the sign.
  private mutating func random() -> Int64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return Int64((mixed ^ (mixed >> 31)) >> 1)
  }
}
