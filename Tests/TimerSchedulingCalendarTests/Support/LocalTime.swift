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

  /// The dates an expression gives, one after the other. They have to be the same in the other direction.
  func dates(of expression: String, after text: String, count: Int) throws -> [String] {
    let rule = try CronRule(expression, timeZone: zone)
    let dates = Array(rule.ticks(after: try date(text)).prefix(count))
    if let last = dates.last {
      #expect(rule.ticks(before: last).prefix(dates.count - 1).elementsEqual(dates.dropLast().reversed()))
    }
    return dates.map { self.text($0) }
  }
}
