import Foundation
import Testing
import TimerSchedulingCalendar

/// Dates written as local times with their offset, such as 2026-03-08 03:00:00-0400.
struct LocalTime {
  let zone: TimeZone
  private let style: Date.ISO8601FormatStyle

  init(_ identifier: String) throws {
    zone = try #require(TimeZone(identifier: identifier))
    style = Date.ISO8601FormatStyle(dateTimeSeparator: .space, timeZone: zone)
  }

  func date(_ text: String) throws -> Date {
    try style.parse(text)
  }

  func text(_ date: Date) -> String {
    date.formatted(style)
  }

  /// The dates an expression gives, one after the other.
  func dates(of expression: String, after text: String, count: Int) throws -> [String] {
    let rule = try CronRule(expression, timeZone: zone)
    return rule.ticks(after: try date(text)).prefix(count).map { self.text($0) }
  }
}
