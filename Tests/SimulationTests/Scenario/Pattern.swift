import Foundation
import TimerScheduling

/// A rule that ticks at some moments of each period, up to a last one.
struct Pattern: TickRule, CustomStringConvertible {
  let period: Int64
  /// In order, from zero to less than the period.
  let offsets: [Int64]
  let last: Int64

  func nextTick(after date: Date) -> Date? {
    next(after: date.moment).map { Date(moment: $0) }
  }

  func next(after moment: Int64) -> Int64? {
    var begin = moment - moment % period - period
    while true {
      for offset in offsets where begin + offset > moment {
        return begin + offset <= last ? begin + offset : nil
      }
      begin += period
    }
  }

  var description: String {
    "\(offsets.map(\.inSeconds)) of \(period.inSeconds) up to \(last.inSeconds)"
  }
}
