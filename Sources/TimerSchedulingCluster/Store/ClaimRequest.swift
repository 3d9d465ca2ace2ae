package import TimerSchedulingFoundation

/// A request for rows that are due, which doesn't wait for locks.
///
/// A claim with the number of the session's last one gets its rows, and one with a lower number none.
package struct ClaimRequest: RowCall, Hashable, Codable {
  package static let name = "claim"

  package var session: UUID
  /// The number of the claim. It grows with each claim of the session that was answered.
  package var number: Int64
  /// Whether the claim was sent before, and may have been done.
  package var isRepeated: Bool
  package var limit: Int
  package var lease: Int64
  /// The jobs, and the handlers of jobs, that the replica doesn't want now.
  package var except, exceptHandlers: [String]
  /// The greatest numbers of rows of some handlers.
  package var rooms: [String: Int]
  /// The limits of some handlers for all replicas.
  package var limits: [String: HandlerLimits]

  package init(
    session: UUID, number: Int64, isRepeated: Bool, limit: Int, lease: Int64, except: [String],
    exceptHandlers: [String] = [], rooms: [String: Int] = [:], limits: [String: HandlerLimits] = [:]
  ) {
    (self.session, self.number, self.isRepeated) = (session, number, isRepeated)
    (self.limit, self.lease, self.except) = (limit, lease, except)
    (self.exceptHandlers, self.rooms, self.limits) = (exceptHandlers, rooms, limits)
  }
}

package struct ClaimAnswer: Sendable, Hashable, Codable {
  package var now: StoreTime
  /// Whether the session is over. Then nothing else is said.
  package var isOver = false
  /// Whether the claim was done before. Then only `runs` is said.
  package var isOld = false
  /// The rows that the session has now, by the moment from which they were due.
  package var runs: [ClaimedRun] = []
  /// The moment at which another row of the session's jobs can be claimed, as far as the store knows.
  package var next: StoreTime?
  /// Jobs whose rows are due but locked by another transaction.
  package var locked: [String] = []
  /// Jobs whose schedule at the store is another one, which other replicas have.
  package var others: [String] = []
  /// Jobs whose schedule at the store is another one, which no replica has.
  package var unserved: [String] = []
  /// Jobs of the replica's program whose names have jobs that were put.
  package var put: [String] = []
  /// Jobs of the replica's program that the store doesn't have.
  package var missing: [String] = []
  /// Handlers of jobs that were put and are due, which no replica has.
  package var unhandled: [String] = []

  package init(now: StoreTime) { self.now = now }
}

/// Dates that an operator has asked to run, besides those that are due. A range of one moment is run for that
/// moment.
package struct AskedRange: Sendable, Hashable, Codable {
  package var id: Int64
  package var from, through: StoreTime

  package init(id: Int64, from: StoreTime, through: StoreTime) {
    (self.id, self.from, self.through) = (id, from, through)
  }
}

/// A row that a claim has taken, and the run for which it was taken.
package struct ClaimedRun: Sendable, Hashable, Codable {
  package var job: String
  /// The first moment of the range, which is the first that no earlier run accounts for.
  package var from: StoreTime
  /// The last moment of the range: the store's time when it was first claimed.
  package var until: StoreTime
  /// The number of claims of this range, this one included.
  package var attempt: Int
  package var token: Int64
  /// The text of the schedule by which the range was first claimed.
  package var schedule: String
  /// Of a job that was put. Empty for a job of the program.
  package var handler = "", payload = ""
  /// Whether an attempt of the range was abandoned.
  package var isLost = false
  /// Whether an operator has cancelled an attempt of the range. Then the action isn't run again.
  package var isCancelled = false
  /// The first of what operators have asked for. It is for a range without a date of its own.
  package var asked: AskedRange?
  /// The error of the last attempt of the range that has failed.
  package var previousFailure: String?
  /// The key of a job that was put with one, and its options.
  package var key: String?
  package var options: JobOptions?
  /// The number of times that the date was postponed.
  package var postponed = 0
  /// The results of the steps of the date's action, as JSON, by their names.
  package var steps: [String: String] = [:]
  /// The replica whose run of the same range was abandoned just now.
  package var abandonedBy: String?

  package init(
    job: String, from: StoreTime, until: StoreTime, attempt: Int, token: Int64, schedule: String,
    abandonedBy: String? = nil
  ) {
    (self.job, self.from, self.until, self.attempt) = (job, from, until, attempt)
    (self.token, self.schedule, self.abandonedBy) = (token, schedule, abandonedBy)
  }
}
