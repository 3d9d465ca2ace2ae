import TimerScheduling

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The dates of one timer within an hour.
///
/// At most 120 dates are looked at one by one. A timer that has more of them has a bar in place of marks: the
/// hour is divided into half minutes, and the schedule is asked once for each whether it has a date there. So
/// a timer of every second costs no more than one of every minute, and a rule that ticks in some minutes only
/// shows its gaps.
package struct HourLane: Sendable {
  package static let length = 3_600.0
  /// The length of a part of a bar, in seconds.
  package static let partLength = 30.0
  package static let maximumMarkCount = 120
  static let partCount = Int(length / partLength)

  /// The dates, or the parts of the hour that have dates.
  package enum Dates: Sendable, Equatable {
    /// The seconds from the beginning of the hour to each date.
    case marks([Double])
    /// For each half minute whether there is a date.
    case bar([Bool])
  }

  package let key: String
  package let name: String
  package let scheduler: String
  package let schedule: String
  package let dates: Dates

  /// Looks at a timer's dates. Nil if it has none in the hour, as it is paused or has finished.
  init?(_ timer: ScheduledTimer, _ snapshot: TimerSnapshot, in scheduler: String, from start: Date) {
    let upcoming = timer.upcomingDates(Self.maximumMarkCount + 1)
      .map { max($0.timeIntervalSince(start), 0) }
    let marks = upcoming.filter { $0 < Self.length }
    guard !marks.isEmpty else { return nil }
    key = TimerKey(scheduler, snapshot.id).description
    name = DisplayName.text(for: snapshot)
    self.scheduler = scheduler
    schedule = snapshot.schedule.map { TimerRow.text(of: $0) } ?? "once"
    dates =
      marks.count <= Self.maximumMarkCount
      ? .marks(marks) : .bar(Self.parts(of: timer.schedule, after: marks, from: start))
  }

  /// For each half minute whether it has a date: one that is known, or behind those one of the schedule's.
  private static func parts(of schedule: TimerSchedule?, after marks: [Double], from start: Date) -> [Bool] {
    var parts = [Bool](repeating: false, count: partCount)
    for mark in marks { parts[min(Int(mark / partLength), partCount - 1)] = true }
    guard let last = marks.last, let schedule else { return parts }
    for part in parts.indices where !parts[part] && Double(part + 1) * partLength > last {
      // A date at the very beginning of the part is one of it.
      let begin = start + max(Double(part) * partLength - 0.001, last)
      guard let next = schedule.dates(after: begin).first(where: { _ in true }) else { break }
      parts[part] = next < start + Double(part + 1) * partLength
    }
    return parts
  }

  /// For each minute of the hour whether there is a date.
  package var minutes: [Bool] {
    var minutes = [Bool](repeating: false, count: 60)
    switch dates {
    case .marks(let marks): for mark in marks { minutes[min(Int(mark / 60), 59)] = true }
    case .bar(let parts): for part in parts.indices where parts[part] { minutes[part / 2] = true }
    }
    return minutes
  }

  /// The number of dates in words.
  package var countText: String {
    switch dates {
    case .marks(let marks): marks.count.grouped
    case .bar: "more than \(Self.maximumMarkCount)"
    }
  }

  /// The longest time without a date, from the beginning of the hour to its end.
  package var longestGap: Duration {
    var (longest, last) = (0.0, 0.0)
    func note(until next: Double) { longest = max(longest, next - last) }
    switch dates {
    case .marks(let marks):
      for mark in marks {
        note(until: mark)
        last = mark
      }
    case .bar(let parts):
      for part in parts.indices where parts[part] {
        note(until: Double(part) * Self.partLength)
        last = Double(part + 1) * Self.partLength
      }
    }
    note(until: Self.length)
    return .seconds(longest)
  }
}

extension ScheduledTimer {
  /// The next dates, or the only one of a delay. None while the timer is paused.
  func upcomingDates(_ count: Int) -> [Date] {
    let dates = nextDates(count)
    return dates.isEmpty ? nextDate.map { [$0] } ?? [] : dates
  }
}
