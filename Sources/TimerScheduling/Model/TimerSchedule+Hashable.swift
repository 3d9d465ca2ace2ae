import TimerSchedulingFoundation

extension TimerSchedule: Hashable {
  /// Returns whether timers with the two schedules, made at the same moment, tick alike.
  ///
  /// Rules that are `Hashable` are compared with `==`, and rules that are objects by identity. A schedule
  /// with any other rule is unequal to all schedules, even to itself.
  public static func == (left: TimerSchedule, right: TimerSchedule) -> Bool {
    left.options == right.options && left.cadence == right.cadence
  }

  /// Hashes the deadlines and the options.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(cadence)
    hasher.combine(options)
  }
}

extension TimerSchedule.Cadence: Hashable {
  package static func == (left: Self, right: Self) -> Bool {
    left.identity.map { $0 == right.identity } ?? false
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(identity) }

  /// The values by which cadences are compared. Each form has other types. Nil for a rule that equals none.
  private var identity: [AnyHashable]? {
    switch self {
    case .once(let delay): [delay]
    case .onceAt(let date): [Deadline(date)]
    case .every(let interval, let start): [interval, start]
    case .countdown(let scale): [scale]
    case .countdownUntil(let date, let step): [Deadline(date), step]
    case .rule(let rule):
      if let rule = rule as? any Hashable {
        [AnyHashable(rule)]
      } else {
        type(of: rule) is AnyClass ? [ObjectIdentifier(rule as AnyObject)] : nil
      }
    }
  }
}
