package import TimerSchedulingFoundation

/// The dates of a rule, which is asked for one at a time.
package struct RuleDates: Sendable {
  /// A pause, or a wall clock that was set back: after the dates up to `from` come those after `to`.
  fileprivate struct Jump {
    var from: Date
    var to: Date
    /// The number of times that the clock was set back. Merged jumps have the sum of theirs.
    var setBackCount: Int
  }

  private static let mostJumps = 16

  let rule: any TickRule
  /// The date from which the rule continues.
  private var last: Date
  /// The newest date that has passed, which doesn't come again at once where the clock was set back.
  private(set) var served: Date?
  /// Nil if the rule hasn't given the next date.
  private(set) var upcoming: Date?
  /// The jitter of each date. Nil if there is neither a jitter nor a tolerance.
  private var jitter: Jitter?
  /// The time from the next date to the one after it. The greatest if that isn't known or doesn't come.
  private(set) var distance = Interval.max
  /// The jumps that the rule's dates haven't reached, in order.
  fileprivate private(set) var jumps: [Jump] = []

  /// Asks the rule for its first date.
  package init(of rule: any TickRule, after date: Date) {
    self.rule = rule
    last = date
    findNext()
  }

  package func question(at now: Deadline, missedTicks: MissedTickBehavior) -> RuleQuestion {
    RuleQuestion(dates: self, now: Date(now), missedTicks: missedTicks)
  }

  /// Has the rule asked for the date after the next, too, which bounds the jitter and the tolerance.
  mutating func bound(_ jitter: Jitter) {
    self.jitter = jitter
    findDistance()
  }

  package mutating func pass() {
    guard let passed = upcoming else { return }
    (last, served, upcoming) = (passed, passed, nil)
  }

  /// Leaves out the dates up to `now`. The rule must be asked for the one after it.
  mutating func goOn(from now: Deadline) {
    last = Date(now)
    upcoming = nil
    jumps = []
  }

  /// Goes on after `new` once the dates up to `old`, and up to `end`, have passed. If the next date is after
  /// both, it stays.
  package mutating func jump(
    from old: Deadline, to new: Deadline, isSetBack: Bool, until end: Deadline = .never
  ) {
    if new >= old, let upcoming, jumps.isEmpty, Deadline(upcoming) > new { return }
    upcoming = nil
    // If there are too many, the last are merged.
    let merged = jumps.count < Self.mostJumps ? nil : jumps.popLast()
    jumps.append(
      Jump(
        from: merged?.from ?? Date(min(old, end)), to: Date(new),
        setBackCount: (merged?.setBackCount ?? 0) + (isSetBack ? 1 : 0)))
  }

  /// Asks the rule for the date after the last, over the jumps that come before it.
  fileprivate mutating func findNext() {
    upcoming = firstDate(after: last)
    while let jump = jumps.first, upcoming.map({ $0 > jump.from }) ?? true {
      jumps.removeFirst()
      last = jump.to
      upcoming = firstDate(after: last)
    }
    findDistance()
  }

  private mutating func findDistance() {
    guard jitter != nil, let upcoming else { return }
    distance = firstDate(after: upcoming).map { Deadline($0) - Deadline(upcoming) } ?? .max
  }

  /// Passes all dates up to `now`, and goes on from the newest, which is found by halving the time since the
  /// last. Returns whether one has come since the last jump.
  fileprivate mutating func passAll(upTo now: Date) -> Bool {
    let start = jumps.last?.to ?? last
    var (low, high) = (start, now)
    jumps = []
    for _ in 0..<64 where low < high {
      let middle = low + high.timeIntervalSince(low) / 2
      if let date = firstDate(after: middle), date <= high {
        (low, served) = (date, date)
      } else {
        high = middle
      }
    }
    last = now
    return low > start
  }

  private func firstDate(after date: Date) -> Date? {
    let first = rule.firstTick(after: date)
    return first != nil && first == served ? rule.firstTick(after: first ?? date) : first
  }

  /// Whether the next date has passed at `now`. All dates before a jump have.
  fileprivate func isNextPassed(at now: Date, _ missedTicks: MissedTickBehavior) -> Bool {
    guard var upcoming else { return false }
    if let jitter {
      let date = Deadline(upcoming)
      // A date beyond the clock's end never comes.
      if date < .never { upcoming = Date(date + jitter.delay(of: date, below: distance)) }
    }
    return upcoming <= now ? missedTicks != .burst : !jumps.isEmpty
  }
}

/// A timer's question to its rule, which runs user code: it is asked outside every lock and off the queue.
package struct RuleQuestion: Sendable {
  package struct Answer: Sendable {
    package var dates: RuleDates
    /// The number of the question.
    let number: UInt32
    /// The number of dates that passed after the one from which the question started.
    package var passed = 0
    /// The number of times that the wall clock was set back after the newest of them.
    package var setBackCount = 0

    /// The newest date that has passed.
    package var newest: Date? { dates.served }
    /// The date after the newest, or nil if the rule has ended.
    package var next: Date? { dates.upcoming }
  }

  /// The most dates counted while a tick is late. Beyond it only the newest is found, and the count is a
  /// lower bound.
  private static let mostCounted = 10_000

  /// The number among the timer's questions.
  var number: UInt32 = 0
  fileprivate let dates: RuleDates
  fileprivate let now: Date
  fileprivate let missedTicks: MissedTickBehavior

  /// Asks the rule repeatedly until its date is later than `now`. Under `.burst`, each date has a tick of its
  /// own.
  package func ask() -> Answer {
    var answer = Answer(dates: dates, number: number)
    answer.dates.findNext()
    while answer.dates.isNextPassed(at: now, missedTicks) {
      answer.dates.pass()
      answer.setBackCount = answer.dates.jumps.reduce(0) { $0 + $1.setBackCount }
      answer.passed += 1
      if answer.passed == Self.mostCounted, answer.dates.passAll(upTo: now) { answer.setBackCount = 0 }
      answer.dates.findNext()
    }
    return answer
  }
}
