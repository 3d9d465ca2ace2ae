#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// A timer's query to its rule. Asking runs user code, so it is done outside every lock and off the driver's queue.
package struct RuleQuery: Sendable {
  package struct Answer: Sendable, Equatable {
    /// The newest date that has passed, from which the rule continues.
    package var newest: Date
    /// The number of dates that passed after the one from which the query started.
    package var passed: Int
    /// The date after `newest`, or nil if the rule has ended.
    package var next: Date?

    package init(newest: Date, passed: Int = 0, next: Date?) {
      self.newest = newest
      self.passed = passed
      self.next = next
    }
  }

  /// A period in which dates aren't ticks.
  package struct Pause: Sendable {
    package var from: Date
    package var to: Date
  }

  /// The largest number of dates counted while one tick is late. Beyond it the rule is asked for the date after now,
  /// and the tick is that of the last date counted.
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

  /// Asks the rule repeatedly until its date is later than `now`.
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
  /// Returns the next tick, or nil if the rule's date ends it because it isn't later than `date`.
  package func firstTick(after date: Date) -> Date? {
    nextTick(after: date).flatMap { $0 > date ? $0 : nil }
  }
}
