import TimerSchedulingFoundation

extension TimerSchedule: Hashable {
  /// Returns whether timers with the two schedules, made at the same moment, tick alike.
  ///
  /// Rules that are `Hashable` are compared with `==`, and rules that are objects by identity. A schedule with any
  /// other rule is unequal to all schedules, even to itself.
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
    switch (left, right) {
    case (.once(let left), .once(let right)): left == right
    case (.onceAt(let left), .onceAt(let right)): Deadline(left) == Deadline(right)
    case (.every(let left, let leftStart), .every(let right, let rightStart)):
      left == right && leftStart == rightStart
    case (.countdown(let left), .countdown(let right)): left == right
    case (.countdownUntil(let left, let leftStep), .countdownUntil(let right, let rightStep)):
      Deadline(left) == Deadline(right) && leftStep == rightStep
    case (.rule(let left), .rule(let right)): left.isEqual(to: right)
    case (.once, _), (.onceAt, _), (.every, _), (.countdown, _), (.countdownUntil, _), (.rule, _): false
    }
  }

  package func hash(into hasher: inout Hasher) {
    switch self {
    case .once(let delay): hasher.combine(delay)
    case .onceAt(let date): hasher.combine(Deadline(date))
    case .every(let interval, let start):
      hasher.combine(interval)
      hasher.combine(start)
    case .countdown(let scale): hasher.combine(scale)
    case .countdownUntil(let date, let step):
      hasher.combine(Deadline(date))
      hasher.combine(step)
    case .rule(let rule): rule.hashIdentity(into: &hasher)
    }
  }
}

extension TickRule {
  fileprivate func isEqual(to other: any TickRule) -> Bool {
    if let left = self as? any Hashable, let right = other as? any Hashable {
      return AnyHashable(left) == AnyHashable(right)
    }
    guard type(of: self) is AnyClass, type(of: other) is AnyClass else { return false }
    return self as AnyObject === other as AnyObject
  }

  fileprivate func hashIdentity(into hasher: inout Hasher) {
    if let hashable = self as? any Hashable {
      hasher.combine(AnyHashable(hashable))
    } else if type(of: self) is AnyClass {
      hasher.combine(ObjectIdentifier(self as AnyObject))
    }
  }
}
