/// The object of a recurrence that has one, and the operations that concern only its end, its rule or its countdown.
extension Recurrence {
  /// The object, if there is one.
  var full: Box? {
    switch self {
    case .full(let box): box
    case .once, .every, .fired, .taken, .none: nil
    }
  }

  /// The same deadlines, as a value that can tell all of them.
  var inFull: FullRecurrence {
    switch self {
    case .once(let due, let timeline): FullRecurrence(DeadlineSequence(onceAt: due, on: timeline))
    case .every(let interval, let next):
      FullRecurrence(DeadlineSequence(every: interval, from: next - interval))
    case .full(let box): box.value
    case .fired, .taken, .none: FullRecurrence(DeadlineSequence.ended)
    }
  }

  package var isByRule: Bool { full?.value.isByRule ?? false }
  var isCountdown: Bool { full?.value.isCountdown ?? false }
  /// The ordinal of the deadline that passed last, or zero before the first.
  var newestOrdinal: Int64 { full?.value.newestOrdinal ?? 0 }

  // MARK: Countdowns

  func countdown(at reading: ClockReading) -> (scale: CountdownScale, elapsed: Interval)? {
    full?.value.countdown(at: reading)
  }

  func extendCountdown(by interval: Interval, at reading: ClockReading) {
    full?.value.extendCountdown(by: interval, at: reading)
  }

  // MARK: Rules

  /// Whether the rule, if there is one, has given the next date.
  var hasDate: Bool { full?.value.hasDate ?? true }

  /// Leaves out the dates of a rule that it hasn't been asked for.
  func forgetDates(at reading: ClockReading) { full?.value.forgetDates(at: reading) }

  /// Returns the query for the rule's next date, if there is a rule.
  func query(at reading: ClockReading, missedTicks: MissedTickBehavior) -> RuleQuery? {
    full?.value.query(at: reading, missedTicks: missedTicks)
  }

  func adopt(_ answer: RuleQuery.Answer) { full?.value.adopt(answer) }

  // MARK: The end

  /// Returns whether the date has passed after which there are no more ticks.
  func isOver(at reading: ClockReading) -> Bool { full?.value.isOver(at: reading) ?? false }

  /// Stops a countdown at its present value.
  func stop(at now: () -> ClockReading) { full?.value.stop(at: now) }

  /// Ends the recurrence, and returns its rule.
  func end() -> (any TickRule)? { full?.value.end() }
}
