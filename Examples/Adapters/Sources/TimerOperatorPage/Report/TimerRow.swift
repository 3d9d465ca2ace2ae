import TimerScheduling

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A timer's row on the page.
package struct TimerRow: Sendable, Encodable {
  /// The timer's key, such as `jobs/17`.
  package let key: String
  package let name: String
  package let scheduler: String
  package let state: String
  /// The time at which the next tick is due, in seconds on the clock of the page.
  package let due: Double?
  /// The seconds that were left when the timer was paused.
  package let left: Double?
  package let date: String?
  package let schedule: String
  /// How the last run ended and how long it took. Nil if no history has it.
  package let last: String?
  package let lastDate: String?
  package let hasLastFailed: Bool
  package let ticks: String
  package let missed: String
  package let failures: String
  package let lateness: String
  package let mark: RowNote.Mark?
  package let note: String?
  package let noteDate: String?

  init(
    _ snapshot: TimerSnapshot, in scheduler: String, at time: Duration, last: PastRun?, note: RowNote
  ) {
    key = TimerKey(scheduler, snapshot.id).description
    name = DisplayName.text(for: snapshot)
    self.scheduler = scheduler
    state = snapshot.isRunning && snapshot.state == .scheduled ? "running" : snapshot.state.description
    let remaining = snapshot.remainingTime?.seconds
    let isPaused = snapshot.state == .paused
    due = isPaused ? nil : remaining.map { ($0 + time.seconds).inMilliseconds }
    left = isPaused ? remaining?.inMilliseconds : nil
    date = snapshot.nextDate.map { Self.text(of: $0) }
    schedule = snapshot.schedule.map(Self.text) ?? "once"
    self.last = last.map(Self.text)
    lastDate = last.map { Self.text(of: $0.date) }
    hasLastFailed = last?.outcome.hasFailed ?? false
    ticks = snapshot.tickCount.grouped
    missed = snapshot.missedCount.grouped
    failures = snapshot.failureCount.grouped
    lateness = snapshot.lastLateness?.abbreviated ?? "–"
    mark = note.mark
    self.note = note.text
    noteDate = note.date.map { Self.text(of: $0) }
  }

  /// A schedule's text, which for a single tick begins with `once`, as in `once, after 30 m`.
  static func text(of schedule: TimerSchedule) -> String {
    let text = schedule.description
    return text.hasPrefix("after ") || text.hasPrefix("at ") ? "once, \(text)" : text
  }

  private static func text(of run: PastRun) -> String {
    switch run.outcome {
    case .ended: "ended in \(run.duration.abbreviated)"
    case .cancelled: "cancelled after \(run.duration.abbreviated)"
    case .failed: "failed after \(run.duration.abbreviated)"
    }
  }

  /// A date to the second, by ISO 8601 in Universal Time.
  static func text(of date: Date) -> String {
    // A date that is read from two clocks may be some microseconds before its second.
    (date + 0.0005).formatted(.iso8601)
  }

  /// Whether a page that shows the other row has no need of this one. Two looks find the same deadline at
  /// times that differ by microseconds.
  package func looksLike(_ other: TimerRow) -> Bool {
    func isNear(_ left: Double?, _ right: Double?) -> Bool {
      guard let left, let right else { return left == nil && right == nil }
      return abs(left - right) < 0.01
    }
    return key == other.key && name == other.name && state == other.state && isNear(due, other.due)
      && isNear(left, other.left) && schedule == other.schedule && ticks == other.ticks
      && missed == other.missed && failures == other.failures && lateness == other.lateness
      && last == other.last && lastDate == other.lastDate && mark == other.mark && note == other.note
      && noteDate == other.noteDate
  }
}

extension Double {
  fileprivate var inMilliseconds: Double { (self * 1_000).rounded() / 1_000 }
}
