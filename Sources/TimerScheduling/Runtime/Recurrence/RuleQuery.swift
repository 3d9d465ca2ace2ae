#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// What a timer has to ask of its rule. Asking runs the user's code, so it is done outside every lock and
/// off the driver's queue.
package struct RuleQuery: Sendable {
  package struct Answer: Sendable, Equatable {
    /// The newest date that has passed, from which the rule goes on.
    package var newest: Date
    /// How many dates passed after the one from which the query went on.
    package var passed: Int
    /// The date after `newest`, or nil when the rule has ended.
    package var next: Date?

    package init(newest: Date, passed: Int = 0, next: Date?) {
      self.newest = newest
      self.passed = passed
      self.next = next
    }
  }

  /// A time in which dates aren't ticks.
  package struct Pause: Sendable {
    package var from: Date
    package var to: Date
  }

  /// How many dates are counted that pass while one tick is late. Beyond them the rule is asked for the
  /// date after now, and the tick is that of the last one counted.
  private static let mostCounted = 10_000

  private let rule: any TickRule
  private let last: Date
  private let now: Date
  private let missedTicks: MissedTickBehavior
  private let pauses: [Pause]

  package init(
    rule: any TickRule, last: Date, now: Date, missedTicks: MissedTickBehavior, pauses: [Pause] = []
  ) {
    self.rule = rule
    self.last = last
    self.now = now
    self.missedTicks = missedTicks
    self.pauses = pauses
  }

  /// Asks the rule, as often as it takes to come past `now`.
  package func ask() -> Answer {
    guard now >= last else {
      // The wall clock was set back. The date served last isn't served twice.
      let next = rule.firstTick(after: now)
      return Answer(newest: last, next: next == last ? rule.firstTick(after: last) : next)
    }
    var answer = Answer(newest: last, next: next(after: last))
    switch missedTicks {
    case .burst:
      break
    case .skip, .delay:
      while let next = answer.next, next <= now {
        answer.newest = next
        answer.passed += 1
        answer.next = self.next(after: answer.passed < Self.mostCounted ? next : now)
      }
    }
    return answer
  }

  private func next(after date: Date) -> Date? {
    var next = rule.firstTick(after: date)
    for pause in pauses {
      guard let date = next else { return nil }
      if pause.from < date, date <= pause.to { next = rule.firstTick(after: pause.to) }
    }
    return next
  }
}

extension TickRule {
  /// The next tick, unless the rule gives a date that ends it.
  package func firstTick(after date: Date) -> Date? {
    nextTick(after: date).flatMap { $0 > date ? $0 : nil }
  }
}
