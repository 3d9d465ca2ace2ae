#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension DeadlineSequence {
  /// Whether the deadlines come from a rule, one at a time.
  package var isByRule: Bool {
    switch deadlines {
    case .rule: true
    case .once, .grid, .aligned, .countdown, .stopped, .ended: false
    }
  }

  /// Returns the query for the date after the last one, if the deadlines come from a rule.
  package func query(
    at now: Deadline, missedTicks: MissedTickBehavior, pauses: [RuleQuery.Pause]
  ) -> RuleQuery? {
    switch deadlines {
    case .rule(let rule, let last, _):
      RuleQuery(rule: rule, last: last, now: Date(now), missedTicks: missedTicks, pauses: pauses)
    case .once, .grid, .aligned, .countdown, .stopped, .ended:
      nil
    }
  }

  /// Applies the rule's answer.
  package mutating func adopt(_ answer: RuleQuery.Answer) {
    switch deadlines {
    case .rule(let rule, _, _): deadlines = .rule(rule, last: answer.newest, upcoming: answer.next)
    case .once, .grid, .aligned, .countdown, .stopped, .ended: break
    }
  }

  /// Notes that the rule's date has come. The rule continues from that date.
  package mutating func ruleFired() {
    switch deadlines {
    case .rule(let rule, let last, let upcoming):
      deadlines = .rule(rule, last: upcoming ?? last, upcoming: nil)
    case .once, .grid, .aligned, .countdown, .stopped, .ended:
      break
    }
  }

  /// Drops the date that a rule has given, so that the rule is asked again, for the date after `now` or, if that is
  /// nil, after the date that passed last.
  package mutating func forgetDate(goingOnFrom now: Deadline?) {
    switch deadlines {
    case .rule(let rule, let last, _):
      deadlines = .rule(rule, last: now.map { max(last, Date($0)) } ?? last, upcoming: nil)
    case .once, .grid, .aligned, .countdown, .stopped, .ended:
      break
    }
  }

  /// Ends the sequence, and returns its rule, if there is one, so that it can be released without a lock.
  package mutating func end() -> (any TickRule)? {
    switch deadlines {
    case .rule(let rule, _, _):
      deadlines = .ended
      return rule
    case .once, .grid, .aligned, .countdown, .stopped, .ended:
      return nil
    }
  }
}
