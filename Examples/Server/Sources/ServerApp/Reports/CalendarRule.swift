package import Foundation
import TimerScheduling

/// Ticks where a calendar's date has given components.
///
/// An interval can't say this: clocks are set forward and back twice a year, and where a time zone differs from
/// Universal Time by half an hour, the top of the hour isn't a multiple of an hour.
///
/// ```swift
/// let midnight = CalendarRule(DateComponents(hour: 0, minute: 0, second: 0))
/// scheduler.schedule(.rule(midnight)) { tick in await book.rotate(at: tick.date) }
/// ```
package struct CalendarRule: TickRule {
  /// Every hour, on the hour.
  package static let topOfTheHour = CalendarRule(DateComponents(minute: 0, second: 0))

  private let components: DateComponents
  private let calendar: Calendar

  package init(_ components: DateComponents, in calendar: Calendar = .current) {
    self.components = components
    self.calendar = calendar
  }

  package func nextTick(after date: Date) -> Date? {
    calendar.nextDate(after: date, matching: components, matchingPolicy: .nextTime)
  }
}
