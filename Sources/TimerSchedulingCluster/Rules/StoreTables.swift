package import TimerSchedulingFoundation

/// The rows of a store in memory or in a file: what it finds, and what it writes.
package protocol StoreTables {
  var now: StoreTime { get throws }

  func session(_ id: UUID) throws -> SessionRow?
  mutating func save(_ session: SessionRow, _ id: UUID) throws
  /// Sets which jobs of the program a session's replica has, with the texts of their schedules, and which
  /// handlers.
  mutating func setServed(_ jobs: [String: String], handlers: [String], by id: UUID) throws
  mutating func removeSessions(endedBefore time: StoreTime) throws
  /// Returns the sessions whose replicas have a job of the program, with the texts of its schedules.
  func sessions(serving job: String) throws -> [UUID: String]
  func sessions(handling handler: String) throws -> Set<UUID>

  func job(_ name: String) throws -> JobRow?
  mutating func save(_ row: JobRow) throws
  mutating func removeJob(_ name: String) throws
  /// Returns the rows that are free, due later, and accounted for beyond a moment.
  func jobs(accountedBeyond moment: StoreTime) throws -> [JobRow]
  /// Returns the rows that a session holds, by token.
  func jobs(heldBy session: UUID) throws -> [JobRow]
  func job(heldBy token: Int64) throws -> JobRow?
  /// Returns the rows that are free, not paused, and due until a moment, and that a claim's replica can run
  /// and wants: of each handler without limits and of the program's own jobs at least the first ones, up to
  /// the claim's limit or its room.
  func freeJobs(for claim: ClaimRequest, until now: StoreTime) throws -> [JobRow]
  /// Returns the moment from which the first other one of these rows is due. Of a handler with limits, it is
  /// that of the first row that isn't due.
  func nextFree(for claim: ClaimRequest, besides rows: [JobRow], at now: StoreTime) throws -> StoreTime?
  /// Returns keys, in order and after one, of rows of a handler that are free, not paused and due.
  func dueKeys(of handler: String, after key: String, until now: StoreTime, limit: Int) throws -> [String]
  /// Returns the first rows of a handler and a key that are free, not paused and due, and that a claim wants.
  func freeJobs(
    of handler: String, key: String, for claim: ClaimRequest, until now: StoreTime, limit: Int
  ) throws -> [JobRow]
  /// Returns the keys and the sessions of the runs of a handler that are under way.
  func running(of handler: String) throws -> [(key: String, session: UUID)]
  func turn(of handler: String) throws -> TurnRow?
  mutating func save(_ turn: TurnRow, of handler: String) throws
  /// Returns what a claim looks at of the rows that others hold.
  func heldJobs(for claim: ClaimRequest, at now: StoreTime) throws -> HeldJobs
  /// Returns the rows of jobs that a session's replica has with another schedule.
  func changedJobs(for id: UUID) throws -> [JobRow]
  /// Returns the jobs that a session's replica has and that have no row.
  func missingJobs(for id: UUID) throws -> [String]
  /// Returns the handlers of rows that are free, not paused and due.
  func dueHandlers(until now: StoreTime) throws -> [String]
  /// Returns the rows that a page shows, without those that are removed, by name. The case of the letters A
  /// to Z doesn't matter.
  func jobs(on page: JobsRequest, at now: StoreTime) throws -> [JobRow]
  /// Returns what is waiting of each handler that has something due, running, retrying or failed.
  func backlogs(at now: StoreTime) throws -> [HandlerBacklog]

  /// Returns the pauses of handlers and of the cluster, also those that have ended.
  func pauses() throws -> [ClusterPause]
  /// Saves a pause in place of the one before of its handler, or of the cluster.
  mutating func save(_ pause: ClusterPause) throws

  /// Returns tokens that are greater than all before.
  mutating func drawTokens(_ count: Int) throws -> Range<Int64>
  func run(_ token: Int64) throws -> RunRow?
  mutating func save(_ run: RunRow) throws
  /// Returns the dates from a moment on for which a job was run, in order.
  func dates(of job: String, from moment: StoreTime) throws -> [StoreTime]
  /// Returns the last date before a moment for which a job was run.
  func lastDate(of job: String, before moment: StoreTime) throws -> StoreTime?
  /// Returns the moment at which the newest run of a job was begun that isn't hidden.
  func lastBegun(of job: String) throws -> StoreTime?
  /// Returns the runs that ``DateRequest/Answer/runs`` names.
  func runs(of job: String, around date: StoreTime) throws -> [RunRow]
}

/// The rows that others hold.
package struct HeldJobs {
  /// Those of sessions that aren't live which are removed, or which a claim's replica can run and wants.
  package var rows: [JobRow] = []
  /// The sessions with rows that aren't live.
  package var sessions: Set<UUID> = []
  /// The first end of a lease of the others that the claim's replica can run and wants.
  package var leaseEnd: StoreTime?

  /// Notes a row of a session, if it has one.
  mutating func note(
    _ session: SessionRow?, _ id: UUID?, isWanted: Bool, isRemoved: Bool, at now: StoreTime,
    row: () throws -> JobRow?
  ) rethrows {
    if let session, session.isLive(now) {
      if isWanted { leaseEnd = min(leaseEnd ?? session.leaseEnd, session.leaseEnd) }
      return
    }
    if session != nil, let id { sessions.insert(id) }
    if isWanted || isRemoved, let row = try row() { rows.append(row) }
  }
}

extension StoreTables {
  package mutating func bring(_ query: RowQuery) throws -> RowSet {
    var rows = RowSet(now: try now)
    if query.hasPauses || query.claim != nil { rows.readPauses = try pauses() }
    for name in query.jobs.union(query.served) { rows.bring(try job(name), name) }
    for token in query.tokens {
      rows.held[token] = try rows.bring(job(heldBy: token))
      rows.runs[token] = .init(try run(token))
    }
    for id in query.sessions { try bring(id, to: &rows) }
    for id in query.holders { rows.holders[id] = try jobs(heldBy: id).compactMap { rows.bring($0) } }
    if query.isAhead {
      rows.ahead = try jobs(accountedBeyond: rows.now + JobRow.clockStep).compactMap { rows.bring($0) }
    }
    if let page = query.page {
      let found = try jobs(on: page, at: rows.now)
      for row in found { if let id = row.holder?.session { try bring(id, to: &rows) } }
      rows.page = found.compactMap { rows.bring($0) }
    }
    if query.hasBacklogs { rows.backlogs = try backlogs(at: rows.now) }
    if let asked = query.explained { rows.explained = try runs(of: asked.job, around: asked.date) }
    var tokenCount = query.tokenCount
    if let claim = query.claim { tokenCount += try bring(claim, to: &rows) }
    for name in query.served { try bringSessions(of: name, to: &rows) }
    for name in query.jobs where rows.jobs[name]?.row == nil {
      // Those of a clock that was ahead come after it.
      try bringDates(of: name, from: rows.now + JobRow.clockStep, to: &rows)
    }
    for name in query.begun { rows.begun[name] = .some(try lastBegun(of: name)) }
    for (name, moment) in query.dates { try bringDates(of: name, from: moment, to: &rows) }
    if tokenCount > 0 { rows.tokens = try drawTokens(tokenCount) }
    return rows
  }

  /// Reads what a claim may take. Returns the greatest number of rows that it takes.
  private func bring(_ claim: ClaimRequest, to rows: inout RowSet) throws -> Int {
    try bring(claim.session, to: &rows)
    let wanted = claim.unpaused(rows.readPauses ?? [])
    var free = wanted.limit > 0 ? try freeJobs(for: wanted, until: rows.now) : []
    let held = try heldJobs(for: wanted, at: rows.now)
    for id in held.sessions.union(held.rows.compactMap { $0.holder?.session }) { try bring(id, to: &rows) }
    for token in held.rows.compactMap({ $0.holder?.token }) { rows.runs[token] = .init(try run(token)) }
    let next = [held.leaseEnd, try nextFree(for: wanted, besides: free, at: rows.now)].compactMap(\.self)
      .min()
    var claimed = RowSet.Claimed(next: next, missing: try missingJobs(for: claim.session))
    for (handler, limits) in wanted.limits where !wanted.exceptHandlers.contains(handler) {
      let row = try turn(of: handler)
      rows.turns[handler] = .init(row)
      let turn = HandlerTurn(
        running: try runningCounts(of: handler, for: claim.session, at: rows.now), last: row?.key ?? "")
      claimed.turns[handler] = turn
      let room = min(wanted.limit, wanted.rooms[handler] ?? .max, turn.room(within: limits))
      if room > 0 { free += try freeJobs(of: handler, turn, for: wanted, until: rows.now, room: room) }
    }
    claimed.free = free.compactMap { rows.bring($0) }
    claimed.sessions = held.sessions
    claimed.held = held.rows.compactMap { rows.bring($0) }
    claimed.changed = try changedJobs(for: claim.session).compactMap { rows.bring($0) }
    for name in claimed.changed { try bringSessions(of: name, to: &rows) }
    claimed.dueHandlers = try dueHandlers(until: rows.now).filter { !wanted.exceptHandlers.contains($0) }
    for handler in claimed.dueHandlers { try bringSessions(handling: handler, to: &rows) }
    rows.claimed = claimed
    return min(free.count + held.rows.count, wanted.limit)
  }

  /// Returns the numbers of runs of a handler, by key, in sessions that aren't over. The claim renews the
  /// lease of its own session.
  /// Twin: `timers.running_2`.
  private func runningCounts(of handler: String, for own: UUID, at now: StoreTime) throws -> [String: Int] {
    var (isOver, counts) = ([own: false], [String: Int]())
    for run in try running(of: handler) {
      if isOver[run.session] == nil {
        var row = try session(run.session)
        row?.judge(now)
        isOver[run.session] = row?.isOver ?? true
      }
      if isOver[run.session] == false { counts[run.key, default: 0] += 1 }
    }
    return counts
  }

  /// Returns rows of keys that may have their turn, of each the first ones. A claim needs at least as many
  /// keys without a run as it has room.
  /// Twin: `timers.turns_2`.
  private func freeJobs(
    of handler: String, _ turn: HandlerTurn, for claim: ClaimRequest, until now: StoreTime, room: Int
  ) throws -> [JobRow] {
    let most = room + turn.running.count
    var keys = try dueKeys(of: handler, after: turn.last, until: now, limit: most)
    if keys.count < most, !turn.last.isEmpty {
      keys += try dueKeys(of: handler, after: "", until: now, limit: most - keys.count).filter {
        $0 <= turn.last
      }
    }
    let each = (room + keys.count) / (keys.count + 1)
    return try (keys + [""]).flatMap {
      try freeJobs(of: handler, key: $0, for: claim, until: now, limit: keys.isEmpty ? room : each)
    }
  }

  private func bring(_ id: UUID, to rows: inout RowSet) throws {
    if rows.sessions[id] == nil { rows.sessions[id] = .init(try session(id)) }
  }

  /// Reads the sessions whose replicas can run a row that was read.
  private func bringSessions(of name: String, to rows: inout RowSet) throws {
    if let handler = rows.jobs[name]?.row?.job.handler, !handler.isEmpty {
      return try bringSessions(handling: handler, to: &rows)
    }
    let found = try sessions(serving: name)
    rows.serving[name] = found
    for id in found.keys { try bring(id, to: &rows) }
  }

  private func bringSessions(handling handler: String, to rows: inout RowSet) throws {
    guard rows.handling[handler] == nil else { return }
    let found = try sessions(handling: handler)
    rows.handling[handler] = found
    for id in found { try bring(id, to: &rows) }
  }

  private func bringDates(of name: String, from moment: StoreTime, to rows: inout RowSet) throws {
    rows.dates[name] = .init(
      first: moment, before: try lastDate(of: name, before: moment), later: try dates(of: name, from: moment))
  }

  package mutating func save(_ rows: RowSet) throws {
    if let moment = rows.endedSessions { try removeSessions(endedBefore: moment) }
    for (id, found) in rows.sessions where found.isChanged {
      if let row = found.row { try save(row, id) }
    }
    for (id, served) in rows.served { try setServed(served.jobs, handlers: served.handlers, by: id) }
    for (name, found) in rows.jobs where found.isChanged {
      if let row = found.row { try save(row) } else { try removeJob(name) }
    }
    for found in rows.runs.values where found.isChanged {
      if let run = found.row { try save(run) }
    }
    for pause in rows.pauses { try save(pause) }
    for (handler, found) in rows.turns where found.isChanged {
      if let row = found.row { try save(row, of: handler) }
    }
  }
}

extension RowSet {
  /// Adds a row that was read. Returns its name.
  @discardableResult
  fileprivate mutating func bring(_ row: JobRow?) -> String? {
    guard let row else { return nil }
    bring(row, row.job.name)
    return row.job.name
  }

  fileprivate mutating func bring(_ row: JobRow?, _ name: String) {
    if jobs[name] == nil { jobs[name] = Found(row) }
  }
}
