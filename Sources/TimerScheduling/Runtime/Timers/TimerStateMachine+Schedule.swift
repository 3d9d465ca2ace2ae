#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension TimerStateMachine {
  /// The schedule, as far as the machine still knows it. A delay isn't kept, only the moment at which it ends.
  var schedule: TimerSchedule? {
    let recurrence = recurrence.inFull
    guard let cadence = recurrence.sequence.cadence else { return nil }
    var schedule = TimerSchedule(cadence: cadence)
    schedule.options = recurrence.options
    schedule.options.missedTicks = missedTicks
    schedule.options.limit = indexLimit < .max ? Int(clamping: indexLimit) : nil
    schedule.options.tolerance = tolerance > .zero ? tolerance : nil
    return schedule
  }
}

extension FullRecurrence {
  /// The options that the recurrence keeps: its last date and its jitter.
  fileprivate var options: TimerSchedule.Options {
    var options = TimerSchedule.Options()
    options.until = until
    options.jitter = jitter
    return options
  }
}

extension DeadlineSequence {
  /// The cadence of these deadlines, or nil for a delay and for a sequence that has ended.
  fileprivate var cadence: TimerSchedule.Cadence? {
    switch deadlines {
    case .once(let deadline): timeline == .wall && deadline != .past ? .onceAt(date(of: deadline)) : nil
    case .grid(let grid, _):
      .every(grid.interval, starting: timeline == .wall ? .at(date(of: grid.origin)) : .afterInterval)
    case .aligned(let grid): .every(grid.interval, starting: .aligned)
    case .countdown(let scale, _), .stopped(let scale, _): .countdown(scale)
    case .rule(let rule, _, _): .rule(rule)
    case .ended: nil
    }
  }

  /// Returns the date of a deadline. That of the clock's end would be a date just before it.
  private func date(of deadline: Deadline) -> Date {
    deadline == .never ? .distantFuture : Date(deadline)
  }
}
