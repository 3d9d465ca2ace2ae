package import Foundation
package import TimerScheduling
import TimerSchedulingCalendar

/// Reads from a schedule's text when a timer that begins to run should have ended, and how late its ticks may
/// be.
package enum ScheduleGap {
  /// The date an interval after a date or, of a cron rule, the next one. Nil for what has no interval.
  package static func next(of schedule: TimerSchedule, after date: Date) -> Date? {
    let clause = schedule.description.prefix { $0 != "," }
    let words = clause.split(separator: " ").map { String($0) }
    switch words.first {
    case "every": return seconds(words).map { date + $0 }
    case "cron": return rule(words.dropFirst())?.nextTick(after: date)
    default: return nil
    }
  }

  /// The lateness that a schedule allows: its tolerance. Nil if it sets none.
  package static func tolerance(of schedule: TimerSchedule) -> Duration? {
    for clause in schedule.description.split(separator: ",") {
      let words = clause.split(separator: " ").map { String($0) }
      if words.first == "tolerance" { return seconds(words).map { .seconds($0) } }
    }
    return nil
  }

  /// The time in a clause such as `every 5 m`.
  private static func seconds(_ words: [String]) -> Double? {
    guard words.count == 3, let number = Double(words[1]), let unit = units[words[2]] else { return nil }
    return number * unit
  }

  private static let units: [String: Double] = [
    "d": 86_400, "h": 3_600, "m": 60, "s": 1, "ms": 1e-3, "us": 1e-6, "ns": 1e-9,
  ]

  private static func rule(_ words: ArraySlice<String>) -> CronRule? {
    guard let zone = words.last.flatMap({ TimeZone(identifier: $0) }) else {
      return try? CronRule(words.joined(separator: " "))
    }
    return try? CronRule(words.dropLast().joined(separator: " "), timeZone: zone)
  }
}
