import Foundation
import TimerSchedulingCalendar

extension CronRule {
  /// The dates of the ticks after a date, until one isn't later than the one before, as in a scheduler.
  func ticks(after start: Date) -> some Sequence<Date> {
    sequence(first: start) { date in nextTick(after: date).flatMap { $0 > date ? $0 : nil } }.dropFirst()
  }

  /// The dates of the ticks before a date, the last one first.
  func ticks(before end: Date) -> some Sequence<Date> {
    sequence(first: end) { date in previousTick(before: date).flatMap { $0 < date ? $0 : nil } }.dropFirst()
  }
}
