package import TimerSchedulingFoundation

/// The rows of a store in memory or in a file.
///
/// Requests read and change them by the same rules as the functions of `PostgresSchema`.
package protocol StoreTables {
  var now: StoreTime { get throws }

  func session(_ id: UUID) throws -> SessionRow?
  mutating func save(_ session: SessionRow, _ id: UUID) throws
  /// Sets which jobs of the program a session's replica has, with the texts of their schedules, and which handlers.
  mutating func setServed(_ jobs: [String: String], handlers: [String], by id: UUID) throws
  mutating func removeSessions(endedBefore time: StoreTime) throws
  /// Returns the sessions whose replicas have a job of the program, with a schedule unless that is nil.
  func sessions(serving job: String, schedule: String?) throws -> [UUID: SessionRow]
  func sessions(handling handler: String) throws -> [UUID: SessionRow]

  func job(_ name: String) throws -> JobRow?
  mutating func save(_ row: JobRow) throws
  mutating func removeJob(_ name: String) throws
  /// Returns the rows that are free, due later, and accounted for beyond a moment.
  func jobs(accountedBeyond moment: StoreTime) throws -> [JobRow]
  func heldJobs() throws -> [JobRow]
  func job(heldBy token: Int64) throws -> JobRow?
  /// Returns the rows that are free, not paused, and due until a moment, and that a claim's replica can run and wants: of
  /// each handler and of the program's own jobs at least the first ones, up to a limit or its room.
  func freeJobs(for claim: ClaimRequest, until now: StoreTime?, limit: Int) throws -> [JobRow]
  /// Returns the rows of jobs that a session's replica has with another schedule.
  func changedJobs(for id: UUID) throws -> [JobRow]
  /// Returns the jobs that a session's replica has and that have no row.
  func missingJobs(for id: UUID) throws -> [String]
  /// Returns the handlers of rows that are free, not paused and due.
  func dueHandlers(until now: StoreTime) throws -> [String]
  /// Returns the first rows that aren't removed, whose names come after another and contain a text, by name. The case of
  /// the letters A to Z doesn't matter.
  func jobs(matching part: String, after name: String?, limit: Int) throws -> [JobRow]

  /// Returns the pauses of handlers and of the cluster, also those that have ended.
  func pauses() throws -> [ClusterPause]
  /// Saves a pause in place of the one before of its handler, or of the cluster.
  mutating func save(_ pause: ClusterPause) throws

  /// Returns a token that is greater than all before.
  mutating func nextToken() throws -> Int64
  func run(_ token: Int64) throws -> RunRow?
  mutating func save(_ run: RunRow) throws
  /// Returns the last date up to a moment for which a job was run.
  func lastDate(of job: String, through moment: StoreTime) throws -> StoreTime?
  /// Returns the first date from a moment on for which a job was run.
  func firstDate(of job: String, from moment: StoreTime) throws -> StoreTime?
  /// Returns the newest runs that aren't hidden, newest first.
  func runs(of job: String?, limit: Int) throws -> [ClusterRunRecord]
  /// Returns the runs that ``DateRequest/Answer/runs`` names.
  func runs(of job: String, around date: StoreTime) throws -> [RunRow]
  /// Deletes the oldest records of runs that have ended: of those that began before a moment, and of those beyond a number.
  /// Returns their number.
  mutating func removeRuns(before time: StoreTime?, keeping count: Int?, limit: Int) throws -> Int
}

extension StoreTables {
  /// Returns the row of a job that isn't removed.
  func knownJob(_ name: String) throws -> JobRow? { try job(name).flatMap { $0.isRemoved ? nil : $0 } }

  /// Returns the sessions whose replicas can run a row.
  func sessions(serving row: JobRow) throws -> [UUID: SessionRow] {
    try row.job.handler.isEmpty
      ? sessions(serving: row.job.name, schedule: row.job.schedule) : sessions(handling: row.job.handler)
  }

  /// Whether a row belongs to the program of a live replica. Then it is neither replaced nor removed.
  /// Twin: `timers.is_served_2`.
  func isServed(_ row: JobRow, at now: StoreTime) throws -> Bool {
    try row.job.handler.isEmpty
      && sessions(serving: row.job.name, schedule: nil).values.contains { $0.isLive(now) }
  }

  mutating func update(_ token: Int64, _ change: (inout RunRow) -> Void) throws {
    guard var run = try run(token) else { return }
    change(&run)
    try save(run)
  }
}
