package import TimerSchedulingFoundation

/// The dates of a rule, which is asked for one at a time.
package struct RuleDates: Sendable {
  private struct Pause {
    var from: Date
    var to: Date
  }

  private static let mostPauses = 16

  let rule: any TickRule
  /// The date from which the rule continues.
  fileprivate private(set) var last: Date
  /// Nil if the rule hasn't given the next date.
  private(set) var upcoming: Date?
  /// The pauses that end after the last date that the rule has given.
  private var pauses: [Pause] = []

  /// Asks the rule for its first date.
  package init(of rule: any TickRule, after date: Date) {
    self.rule = rule
    last = date
    upcoming = next(after: date)
  }

  package func query(at now: Deadline, missedTicks: MissedTickBehavior) -> RuleQuery {
    RuleQuery(dates: self, now: Date(now), missedTicks: missedTicks)
  }

  mutating func adopt(_ answer: RuleQuery.Answer) {
    last = answer.newest
    upcoming = answer.next
    pauses.removeAll { pause in answer.next.map { $0 > pause.to } ?? true }
  }

  mutating func pass() {
    last = upcoming ?? last
    upcoming = nil
  }

  /// Leaves out the dates up to `now`. The rule must be asked for the one after it.
  mutating func goOn(from now: Deadline) {
    last = max(last, Date(now))
    upcoming = nil
  }

  mutating func skip(from since: ClockReading, to reading: ClockReading) {
    if reading.isSetBack(since: since) {
      // The new time of the wall clock has other dates.
      upcoming = nil
    } else if let upcoming {
      if Deadline(upcoming) <= reading.wall { goOn(from: reading.wall) }
    } else {
      // The dates before the pause must still be asked for. If there are too many, the last are merged.
      let merged = pauses.count < Self.mostPauses ? nil : pauses.popLast()
      pauses.append(Pause(from: merged?.from ?? Date(since.wall), to: Date(reading.wall)))
    }
  }

  /// Asks the rule for the first date after `date` that isn't in a pause.
  fileprivate func next(after date: Date) -> Date? {
    var next = rule.firstTick(after: date)
    for pause in pauses {
      guard let date = next else { return nil }
      if pause.from < date, date <= pause.to { next = rule.firstTick(after: pause.to) }
    }
    return next
  }
}

/// A timer's query to its rule, which runs user code: it is asked outside every lock and off the queue.
package struct RuleQuery: Sendable {
  package struct Answer: Sendable, Equatable {
    /// The newest date that has passed, from which the rule continues.
    package var newest: Date
    /// The number of dates that passed after the one from which the query started.
    package var passed = 0
    /// The date after `newest`, or nil if the rule has ended.
    package var next: Date?
  }

  /// The most dates counted while a tick is late. Beyond it the rule is asked for the date after now.
  private static let mostCounted = 10_000

  fileprivate let dates: RuleDates
  fileprivate let now: Date
  fileprivate let missedTicks: MissedTickBehavior

  /// Asks the rule repeatedly until its date is later than `now`.
  package func ask() -> Answer {
    let last = dates.last
    guard now >= last else {
      // The wall clock was set back. The date served last isn't served twice.
      let next = dates.rule.firstTick(after: now)
      return Answer(newest: last, next: next == last ? dates.rule.firstTick(after: last) : next)
    }
    var answer = Answer(newest: last, next: dates.next(after: last))
    while missedTicks != .burst, let next = answer.next, next <= now {
      answer.newest = next
      answer.passed += 1
      answer.next = dates.next(after: answer.passed < Self.mostCounted ? next : now)
    }
    return answer
  }
}
