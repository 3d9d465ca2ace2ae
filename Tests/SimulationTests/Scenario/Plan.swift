import Foundation
import TimerScheduling

/// A schedule as plain numbers. Times are nanoseconds from the start of the scenario, on either clock.
struct Plan: Sendable {
  enum Start: Sendable {
    case afterInterval, immediately
    case after(Int64)
    case at(Int64)
    case aligned(Int64)
  }

  enum Cadence: Sendable {
    case every(Int64, Start)
    case after(Int64)
    case at(Int64)
    case rule(Pattern)
  }

  var cadence: Cadence
  var behavior = MissedTickBehavior.skip
  var limit: Int?
  var until: Int64?

  /// Whether deadlines are on the wall clock.
  var isOnWallClock: Bool {
    switch cadence {
    case .every(_, .at), .every(_, .aligned), .at, .rule: true
    case .every, .after: false
    }
  }

  /// The spacing of the deadlines, or an approximation.
  var interval: Int64? {
    switch cadence {
    case .every(let interval, _): interval
    case .after, .at: nil
    case .rule(let pattern): pattern.period / Int64(pattern.offsets.count)
    }
  }

  var isByRule: Bool {
    switch cadence {
    case .rule: true
    case .every, .after, .at: false
    }
  }
}

extension Plan {
  /// The schedule for the scheduler.
  var schedule: TimerSchedule {
    var schedule =
      switch cadence {
      case .every(let interval, let start): TimerSchedule.every(.nanoseconds(interval), starting: start.start)
      case .after(let delay): TimerSchedule.after(.nanoseconds(delay))
      case .at(let moment): TimerSchedule.at(Date(moment: moment))
      case .rule(let pattern): TimerSchedule.rule(pattern)
      }
    schedule = schedule.missedTicks(behavior)
    if let limit { schedule = schedule.limit(limit) }
    if let until { schedule = schedule.until(Date(moment: until)) }
    return schedule
  }
}

extension Plan.Start {
  fileprivate var start: TimerSchedule.Start {
    switch self {
    case .afterInterval: .afterInterval
    case .immediately: .immediately
    case .aligned(let offset): .aligned(offset: .nanoseconds(offset))
    case .after(let delay): .after(.nanoseconds(delay))
    case .at(let moment): .at(Date(moment: moment))
    }
  }
}

extension Plan: CustomStringConvertible {
  var description: String {
    let options = [limit.map { "limit \($0)" }, until.map { "until \($0.inSeconds)" }].compactMap(\.self)
    return ([cadence.description, "\(behavior)"] + options).joined(separator: ", ")
  }
}

extension Plan.Cadence: CustomStringConvertible {
  var description: String {
    switch self {
    case .every(let interval, .after(let delay)): "every \(interval.inSeconds) after \(delay.inSeconds)"
    case .every(let interval, .at(let moment)): "every \(interval.inSeconds) at \(moment.inSeconds)"
    case .every(let interval, .aligned(let offset)): "every \(interval.inSeconds) aligned \(offset.inSeconds)"
    case .every(let interval, let start): "every \(interval.inSeconds) \(start)"
    case .after(let delay): "after \(delay.inSeconds)"
    case .at(let moment): "at \(moment.inSeconds)"
    case .rule(let pattern): "rule \(pattern)"
    }
  }
}

extension Date {
  /// The date that the scenario has reached, if the clock isn't set.
  init(moment: Int64) {
    // Rounded down, as the scheduler's dates are.
    let rest = (moment % 1_000_000_000 + 1_000_000_000) % 1_000_000_000
    self.init(timeIntervalSinceReferenceDate: Double((moment - rest) / 1_000_000_000) + Double(rest) / 1e9)
  }

  /// The nearest nanosecond.
  var moment: Int64 { Int64((timeIntervalSinceReferenceDate * 1e9).rounded()) }
}

extension Int64 {
  /// Seconds, for people to read, to the nanosecond.
  var inSeconds: String {
    let (seconds, rest) = magnitude.quotientAndRemainder(dividingBy: 1_000_000_000)
    var digits = String(rest)
    digits = String(repeating: "0", count: 9 - digits.count) + digits
    while digits.last == "0" { digits.removeLast() }
    return (self < 0 ? "-" : "") + "\(seconds)" + (digits.isEmpty ? "" : ".\(digits)") + "s"
  }
}
