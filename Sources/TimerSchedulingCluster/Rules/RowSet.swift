package import TimerSchedulingFoundation

/// The rows of one read, on which the rules of a request run. It notes what they change.
///
/// A rule that looks at what wasn't read throws, and the request reads again with it. So no rule takes for
/// absent what it doesn't know.
package struct RowSet: Sendable {
  /// A row as it was read and as the rules have left it. Nil for none.
  package struct Found<Row: Sendable & Equatable>: Sendable {
    package let before: Row?
    package var row: Row?

    package init(_ row: Row?) { (before, self.row) = (row, row) }

    package var isChanged: Bool { before != row }
  }

  /// The jobs of a program that a session's replica has, with the texts of their schedules, and its handlers.
  package struct Served: Sendable {
    package var jobs: [String: String]
    package var handlers: [String]
  }

  /// The dates of a job's records from a moment on, in order, and the last one before it.
  struct Dates: Sendable {
    var first: StoreTime
    var before: StoreTime?
    var later: [StoreTime]
  }

  /// The rows that a claim may take, and its notes about other rows. No rule depends on the notes.
  struct Claimed: Sendable {
    /// The names of rows that are free and due, and of those that others hold whose sessions aren't live.
    var free: [String] = []
    var held: [String] = []
    /// The sessions that hold rows and aren't live.
    var sessions: Set<UUID> = []
    /// The first moment at which another row can be claimed.
    var next: StoreTime?
    /// The replica's jobs that have no row, and those that have another schedule or were put.
    var missing: [String] = []
    var changed: [String] = []
    /// The handlers of rows that are due.
    var dueHandlers: [String] = []
    /// The handlers of the replica that have limits.
    var turns: [String: HandlerTurn] = [:]
  }

  /// The rows that must be unchanged when the change is written, besides the rows that it changes.
  package struct Requirement: Sendable {
    package var jobs: Set<String> = []
    /// The jobs that no live replica's program has, for the sessions that have them.
    package var unserved: Set<String> = []
    package var hasPauses = false
  }

  package let now: StoreTime
  package internal(set) var jobs: [String: Found<JobRow>] = [:]
  package internal(set) var sessions: [UUID: Found<SessionRow>] = [:]
  package internal(set) var runs: [Int64: Found<RunRow>] = [:]
  /// The names of the rows that runs hold. Nil for a run that holds none.
  var held: [Int64: String?] = [:]
  /// The names of the rows that sessions hold.
  var holders: [UUID: [String]] = [:]
  /// The sessions whose replicas have a job of the program, with the texts of its schedules.
  var serving: [String: [UUID: String]] = [:]
  /// The sessions whose replicas have a handler.
  var handling: [String: Set<UUID>] = [:]
  var dates: [String: Dates] = [:]
  /// When the newest run of a job was begun. Nil if there is none.
  package internal(set) var begun: [String: StoreTime?] = [:]
  /// The pauses as they were read.
  var readPauses: [ClusterPause]?
  var claimed: Claimed?
  package internal(set) var turns: [String: Found<TurnRow>] = [:]
  /// The names of the rows that a clock which was ahead has accounted for.
  var ahead: [String]?
  /// The names of a page, in order.
  var page: [String]?
  var backlogs: [HandlerBacklog] = []
  var explained: [RunRow]?
  /// The tokens that may be given.
  var tokens: Range<Int64> = 0..<0
  // The rows that the rules write without having read them.
  package internal(set) var pauses: [ClusterPause] = []
  package internal(set) var served: [UUID: Served] = [:]
  package internal(set) var endedSessions: StoreTime?
  package internal(set) var requirement = Requirement()

  init(now: StoreTime) { self.now = now }

  /// Whether there is anything to write.
  var isChanged: Bool {
    endedSessions != nil || !served.isEmpty || !pauses.isEmpty || jobs.values.contains(where: \.isChanged)
      || turns.values.contains(where: \.isChanged) || sessions.values.contains(where: \.isChanged)
      || runs.values.contains(where: \.isChanged)
  }

  /// Whether it changes more than leases and records: what other replicas may do.
  var concernsOthers: Bool {
    !served.isEmpty || !pauses.isEmpty || jobs.values.contains(where: \.isChanged)
      || sessions.values.contains { $0.before?.isOver != $0.row?.isOver }
  }

  // MARK: Jobs

  package func job(_ name: String) throws -> JobRow? {
    guard let found = jobs[name] else { throw RowQuery.Unread.job(name) }
    return found.row
  }

  /// Returns the row of a job that isn't removed, and that is in a state.
  func knownJob(_ name: String, in state: ClusterJob.State? = nil) throws -> JobRow? {
    guard let row = try job(name), !row.isRemoved else { return nil }
    return state.map { row.state(at: now) == $0 } ?? true ? row : nil
  }

  package mutating func save(_ row: JobRow) { jobs[row.job.name, default: Found(nil)].row = row }

  package mutating func removeJob(_ name: String) { jobs[name]?.row = nil }

  func job(heldBy token: Int64) throws -> JobRow? {
    guard let name = held[token] else { throw RowQuery.Unread.token(token) }
    guard let name, let row = jobs[name]?.row, row.holder?.token == token else { return nil }
    return row
  }

  /// Has the change depend on a row that it doesn't change.
  mutating func require(_ row: JobRow) { requirement.jobs.insert(row.job.name) }

  func jobs(heldBy id: UUID) throws -> [JobRow] {
    guard let names = holders[id] else { throw RowQuery.Unread.holder(id) }
    return names.compactMap { jobs[$0]?.row }.filter { $0.holder?.session == id }
  }

  /// Returns the rows that are free, due later, and accounted for beyond now, as a clock was ahead.
  func jobsAhead() throws -> [JobRow] {
    guard let ahead else { throw RowQuery.Unread.jobsAhead }
    return ahead.compactMap { jobs[$0]?.row }
  }

  func claimedRows() throws -> Claimed {
    guard let claimed else { throw RowQuery.Unread.notAsked }
    return claimed
  }

  func rows(of names: [String]) -> [JobRow] { names.compactMap { jobs[$0]?.row } }

  // MARK: Sessions

  package func session(_ id: UUID) throws -> SessionRow? {
    guard let found = sessions[id] else { throw RowQuery.Unread.session(id) }
    return found.row
  }

  package mutating func save(_ session: SessionRow, _ id: UUID) {
    sessions[id, default: Found(nil)].row = session
  }

  /// Sets which jobs of the program a session's replica has, and which handlers.
  package mutating func setServed(_ jobs: [String: String], handlers: [String], by id: UUID) {
    served[id] = Served(jobs: jobs, handlers: handlers)
  }

  package mutating func removeSessions(endedBefore time: StoreTime) { endedSessions = time }

  /// Whether a live replica can run a row, of a job of the program by its schedule or, if that isn't asked,
  /// by any.
  func isServed(_ row: JobRow, by schedule: String?) throws -> Bool {
    let (name, handler) = (row.job.name, row.job.handler)
    if !handler.isEmpty { return try isHandled(handler, for: name) }
    guard let found = serving[name] else { throw RowQuery.Unread.served(name) }
    return found.contains { id, text in schedule.map { $0 == text } ?? true && isLive(id) }
  }

  /// Whether a row belongs to the program of a live replica. Then it is neither replaced nor removed.
  /// Twin: `timers.is_served_2`.
  mutating func isServed(_ row: JobRow) throws -> Bool {
    guard row.job.handler.isEmpty else { return false }
    requirement.unserved.insert(row.job.name)
    return try isServed(row, by: nil)
  }

  /// Whether a live replica has a handler.
  func isHandled(_ handler: String, for job: String? = nil) throws -> Bool {
    guard let found = handling[handler] else { throw job.map(RowQuery.Unread.served) ?? .notAsked }
    return found.contains { isLive($0) }
  }

  private func isLive(_ id: UUID) -> Bool { sessions[id]?.row?.isLive(now) ?? false }

  // MARK: Pauses

  /// Returns the pauses of handlers and of the cluster, also those that have ended.
  package mutating func allPauses() throws -> [ClusterPause] {
    guard let readPauses else { throw RowQuery.Unread.pauses }
    requirement.hasPauses = true
    return readPauses.map { $0.by(now) }
  }

  /// Saves a pause in place of the one before of its handler, or of the cluster.
  package mutating func save(_ pause: ClusterPause) { pauses.append(pause) }

  // MARK: Runs

  /// Returns a token that is greater than all before.
  mutating func nextToken() throws -> Int64 {
    guard let token = tokens.popFirst() else { throw RowQuery.Unread.nextToken }
    return token
  }

  mutating func save(_ run: RunRow) { runs[run.record.token, default: Found(nil)].row = run }

  mutating func update(_ token: Int64, _ change: (inout RunRow) -> Void) throws {
    guard var run = try run(token) else { return }
    change(&run)
    save(run)
  }

  func run(_ token: Int64) throws -> RunRow? {
    guard let found = runs[token] else { throw RowQuery.Unread.token(token) }
    return found.row
  }

  /// Returns the moment at which the newest run of a job was begun.
  /// Twin: `timers.has_begun_2`.
  func lastBegun(of job: String) throws -> StoreTime? {
    guard let moment = begun[job] else { throw RowQuery.Unread.begun(job) }
    return moment
  }

  /// Returns the last date up to a moment for which a job was run.
  package func lastDate(of job: String, through moment: StoreTime) throws -> StoreTime? {
    let dates = try dates(of: job, from: moment)
    return dates.later.last { $0 <= moment } ?? dates.before
  }

  /// Returns the first date from a moment on for which a job was run.
  func firstDate(of job: String, from moment: StoreTime) throws -> StoreTime? {
    try dates(of: job, from: moment).later.first { $0 >= moment }
  }

  private func dates(of job: String, from moment: StoreTime) throws -> Dates {
    guard let found = dates[job], found.first <= moment else {
      throw RowQuery.Unread.dates(of: job, from: moment)
    }
    return found
  }
}
