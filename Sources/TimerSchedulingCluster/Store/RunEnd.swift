/// The end of a run: what became of its range.
package struct RunEnd: Sendable, Hashable, Codable {
  package enum Outcome: String, Sendable, Hashable, Codable {
    /// The action has returned.
    case done
    /// The action has thrown an error.
    case failed
    /// The action wasn't run, as the range has no date, or its attempts are used up.
    case settled
    /// The action is to be run again for the same range.
    case retried
    /// The action is to be run again for the same range, and this run doesn't count as an attempt.
    case postponed
    /// The action wasn't run, and another replica may run it.
    case released
  }

  package var token: Int64
  package var outcome: Outcome
  /// The date for which the action was run. Nil if it wasn't.
  package var date: StoreTime?
  /// The last moment for which the run accounts.
  package var through: StoreTime
  /// The moment at which the row is due again. Nil if it never is.
  package var next: StoreTime?
  /// The text of the schedule that says so. If the row has another one now, it is due at once.
  package var schedule: String
  /// The number of dates up to `through` that weren't run.
  package var missed: Int
  /// These dates, and the date of the run if its attempts are used up, with their reasons.
  package var skipped: [SkippedDates] = []
  package var failure: String?
  /// The number of the requested range that this run served. Nil if the schedule made the run due.
  package var asked: Int64?
  /// The handler of the job to put if the date is given up for good.
  package var ifGivenUp: String?
  /// The moment at which the rest of that range begins. Nil if the range is finished.
  package var askedRest: StoreTime?

  package init(
    token: Int64, outcome: Outcome, date: StoreTime? = nil, through: StoreTime, next: StoreTime? = nil,
    schedule: String, missed: Int, failure: String? = nil
  ) {
    (self.token, self.outcome, self.date, self.through) = (token, outcome, date, through)
    (self.next, self.schedule, self.missed, self.failure) = (next, schedule, missed, failure)
  }

  var isRepeated: Bool { outcome == .retried || outcome == .postponed }

  /// The date that is given up without a run, as its attempts are used up or it is too old.
  /// Twin: `timers.abandoned_date_2`.
  var abandonedDate: StoreTime? {
    guard outcome == .settled, let last = skipped.last else { return nil }
    return [.attemptsUsedUp, .tooOld].contains(last.reason) ? last.last : nil
  }

  /// The name of the job to put if the date is given up for good.
  var givenUpName: String? { ifGivenUp.map { "\($0) \(token)" } }

  /// The end of a failed run whose next attempt is given up. Its next date isn't known, so the job is due at
  /// once.
  var withoutRetry: RunEnd {
    var end = self
    (end.outcome, end.next, end.schedule, end.skipped) = (.failed, nil, "", [])
    return end
  }

  /// The end of a run that is left to other replicas before it has begun.
  package init(releasing claim: ClaimedRun) {
    self.init(
      token: claim.token, outcome: .released, through: claim.until, schedule: claim.schedule, missed: 0)
  }
}

/// A request to end runs, each by its token.
package struct EndRequest: RowCall, Hashable {
  package static let name = "end"

  package var ends: [RunEnd]
  /// Whether to wait for rows that other transactions have locked.
  package var waits: Bool

  package init(_ ends: [RunEnd], waits: Bool = false) { (self.ends, self.waits) = (ends, waits) }
}

package struct EndAnswer: Sendable, Hashable, Codable {
  package enum Verdict: String, Sendable, Hashable, Codable {
    /// The end was written.
    case written
    /// An end of the run was written before.
    case before
    /// The run was taken over, and nothing was written.
    case refused
    /// Another transaction has locked the row, and nothing was written. The end is to be sent again.
    case locked
  }

  package var now: StoreTime
  /// A verdict for each end, in their order.
  package var verdicts: [Verdict]
  /// When the first of the jobs is due again. Nil if none is.
  package var next: StoreTime?
}
