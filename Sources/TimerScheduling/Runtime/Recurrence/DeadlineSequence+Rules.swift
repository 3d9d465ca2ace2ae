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

  /// The question for the date after the last, where the deadlines come from a rule.
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

  /// Takes up what the rule has answered.
  package mutating func adopt(_ answer: RuleQuery.Answer) {
    switch deadlines {
    case .rule(let rule, _, _): deadlines = .rule(rule, last: answer.newest, upcoming: answer.next)
    case .once, .grid, .aligned, .countdown, .stopped, .ended: break
    }
  }

  /// The date a rule gave has come, and is the one from which the rule goes on.
  package mutating func ruleFired() {
    switch deadlines {
    case .rule(let rule, let last, let upcoming):
      deadlines = .rule(rule, last: upcoming ?? last, upcoming: nil)
    case .once, .grid, .aligned, .countdown, .stopped, .ended:
      break
    }
  }

  /// Drops the date that a rule has given, so that it has to be asked, for what comes after `now` or, without
  /// it, after the date that passed last.
  package mutating func forgetDate(goingOnFrom now: Deadline?) {
    switch deadlines {
    case .rule(let rule, let last, _):
      deadlines = .rule(rule, last: now.map { max(last, Date($0)) } ?? last, upcoming: nil)
    case .once, .grid, .aligned, .countdown, .stopped, .ended:
      break
    }
  }

  /// Gives up the rule, if there is one, to be released where no lock is held. There are no deadlines then.
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
