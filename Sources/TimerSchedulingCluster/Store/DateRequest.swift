/// A request for a store's records of a date of a job. ``DateExplanation`` draws the conclusion.
package struct DateRequest: RowCall, Hashable {
  package static let name = "explain"
  package static let isRead = true

  package var job: String
  package var date: StoreTime

  package init(job: String, date: StoreTime) { (self.job, self.date) = (job, date) }

  /// The row of a job, which decides about the dates that no run accounts for.
  package struct Row: Sendable, Hashable, Codable {
    package var schedule: String
    /// The first moment that isn't accounted for.
    package var from: StoreTime
    /// The last moment of the range of a run under way, or of one that is to be repeated.
    package var until: StoreTime?
    package var nextDate: StoreTime?
    package var isPaused: Bool
    package var pausedBy, pauseReason: String
    package var skipped: [SkippedDates]
    package var asked: [AskedRange]
    /// Whether a replica with a lease can run it.
    package var isServed: Bool

    /// Whether a moment is accounted for neither by a record nor by a range under way.
    func owes(_ moment: StoreTime) -> Bool { moment >= from && until.map { moment > $0 } ?? true }
  }

  package struct Answer: Sendable, Codable {
    package var now: StoreTime
    package var row: Row?
    /// The records that account for the date or leave it out, those of the last run before it and the first
    /// after it, and those of the other attempts of these, by token. Of very many, the newest.
    package var runs: [RunRow]
  }
}
