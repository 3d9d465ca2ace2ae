import TimerSchedulingFoundation

extension SQLiteTables {
  func job(_ name: String) throws -> JobRow? {
    try rows("SELECT row FROM timers_job WHERE name = ?", [name], of: JobRow.self).first
  }

  func save(_ row: JobRow) throws {
    _ = try execute(
      "INSERT OR REPLACE INTO timers_job VALUES (?, ?, ?, ?, ?, ?, ?)",
      [
        row.job.name, row.job.handler, row.job.schedule, text(row.job.nextTime),
        row.holder.map { "\($0.token)" }, row.job.isPaused ? "1" : "0", try row.json,
      ])
  }

  func removeJob(_ name: String) throws { _ = try execute("DELETE FROM timers_job WHERE name = ?", [name]) }

  func jobs(accountedBeyond moment: StoreTime) throws -> [JobRow] {
    try rows(
      """
      SELECT row FROM timers_job WHERE token IS NULL AND at > CAST(?1 AS INTEGER)
        AND max(row ->> '$.from', coalesce(row ->> '$.until' + 1, 0)) > CAST(?1 AS INTEGER)
      """, [text(moment)])
  }

  func jobs(heldBy session: UUID) throws -> [JobRow] {
    try rows(
      "SELECT row FROM timers_job WHERE token IS NOT NULL AND row ->> '$.holder.session' = ? ORDER BY token",
      [session.uuidString])
  }

  /// The condition on a row `job` under which the replica that claims can run it. The parameters are the
  /// replica's session, and the jobs and handlers that it leaves out.
  private static let isWanted = """
    is_paused = 0 AND name NOT IN (SELECT value FROM json_each(?2))
    AND handler NOT IN (SELECT value FROM json_each(?3))
    AND CASE WHEN handler = ''
      THEN EXISTS (SELECT 1 FROM timers_served WHERE session = ?1 AND job = name AND schedule = job.schedule)
      ELSE EXISTS (SELECT 1 FROM timers_handler WHERE session = ?1 AND handler = job.handler) END
    """

  func heldJobs(for claim: ClaimRequest, at now: StoreTime) throws -> HeldJobs {
    let held = try execute(
      """
      SELECT token, row ->> '$.holder.session', row ->> '$.isRemoved', row ->> '$.isRemoved' = 0 AND \(Self.isWanted)
      FROM timers_job AS job
      WHERE token IS NOT NULL AND row ->> '$.holder.session' IS NOT ?1
      """, [claim.session.uuidString, try claim.except.json, try claim.exceptHandlers.json])
    var (found, sessions) = (HeldJobs(), [UUID: SessionRow?]())
    for columns in held {
      let id = id(columns[1])
      if let id, sessions[id] == nil { sessions[id] = .some(try session(id)) }
      try found.note(
        id.flatMap { sessions[$0] ?? nil }, id, isWanted: columns[3] == "1", isRemoved: columns[2] == "1",
        at: now, row: { try columns[0].flatMap { Int64($0) }.flatMap { try job(heldBy: $0) } })
    }
    return found
  }

  func job(heldBy token: Int64) throws -> JobRow? {
    try rows("SELECT row FROM timers_job WHERE token = ?", ["\(token)"], of: JobRow.self).first
  }

  func freeJobs(for claim: ClaimRequest, until now: StoreTime) throws -> [JobRow] {
    try eachHandler(of: claim) { source, parameters, handler in
      if claim.limits[handler] != nil { return [] }
      let limit = min(claim.limit, claim.rooms[handler] ?? claim.limit)
      return try rows(
        "SELECT row \(source) AND at <= CAST(? AS INTEGER) ORDER BY at, name LIMIT CAST(? AS INTEGER)",
        parameters + [text(now), "\(limit)"])
    }
  }

  func nextFree(for claim: ClaimRequest, besides rows: [JobRow], at now: StoreTime) throws -> StoreTime? {
    let counts = rows.reduce(into: [:]) { $0[$1.job.handler, default: 0] += 1 }
    return try eachHandler(of: claim) { source, parameters, handler in
      if claim.limits[handler] != nil {
        let sql = "SELECT min(at) \(source) AND at > CAST(? AS INTEGER)"
        return try number(sql, parameters + [text(now)]).map { [StoreTime(microseconds: $0)] } ?? []
      }
      // The rows are the first ones.
      let sql = "SELECT at \(source) AND at IS NOT NULL ORDER BY at, name LIMIT 1 OFFSET CAST(? AS INTEGER)"
      return try number(sql, parameters + ["\(counts[handler] ?? 0)"]).map { [StoreTime(microseconds: $0)] }
        ?? []
    }.min()
  }

  private static let due = """
    FROM timers_job WHERE token IS NULL AND is_paused = 0 AND handler = ? AND at <= CAST(? AS INTEGER)
    """
  func dueKeys(of handler: String, after key: String, until now: StoreTime, limit: Int) throws -> [String] {
    // The index has the keys in order, so each is one look at it.
    let sql = "SELECT \(Self.key) \(Self.due) AND \(Self.key) > ? ORDER BY \(Self.key) LIMIT 1"
    var (found, last) = ([String](), key)
    while found.count < limit, let next = try execute(sql, [handler, text(now), last]).first?.first ?? nil {
      found.append(next)
      last = next
    }
    return found
  }

  func freeJobs(
    of handler: String, key: String, for claim: ClaimRequest, until now: StoreTime, limit: Int
  ) throws -> [JobRow] {
    try rows(
      """
      SELECT row \(Self.due) AND \(Self.key) = ? AND name NOT IN (SELECT value FROM json_each(?))
      ORDER BY at, name LIMIT CAST(? AS INTEGER)
      """, [handler, text(now), key, try claim.except.json, "\(limit)"])
  }

  func running(of handler: String) throws -> [(key: String, session: UUID)] {
    try execute(
      """
      SELECT coalesce(row ->> '$.holder.key', ''), row ->> '$.holder.session' FROM timers_job
      WHERE token IS NOT NULL AND coalesce(row ->> '$.rangeHandler', handler) = ?
      """, [handler]
    ).compactMap { columns in id(columns[1]).map { (columns[0] ?? "", $0) } }
  }

  func turn(of handler: String) throws -> TurnRow? {
    try rows("SELECT row FROM timers_turn WHERE handler = ?", [handler], of: TurnRow.self).first
  }

  func save(_ turn: TurnRow, of handler: String) throws {
    _ = try execute("INSERT OR REPLACE INTO timers_turn VALUES (?, ?)", [handler, try turn.json])
  }

  /// Finds something in the free rows of the program's own jobs that a claim wants, and in those of each
  /// handler.
  private func eachHandler<Found>(
    of claim: ClaimRequest,
    _ find: (_ source: String, _ parameters: [String?], _ handler: String) throws -> [Found]
  ) throws -> [Found] {
    // Texts of statements don't vary, as clients keep each prepared.
    let (id, except) = (claim.session.uuidString, try claim.except.json)
    let free = """
      FROM timers_job AS job
      WHERE token IS NULL AND is_paused = 0 AND name NOT IN (SELECT value FROM json_each(?))
      """
    var found = try find(
      """
      \(free) AND handler = ''
        AND EXISTS (SELECT 1 FROM timers_served WHERE session = ? AND job = name AND schedule = job.schedule)
      """, [except, id], "")
    for columns in try execute("SELECT handler FROM timers_handler WHERE session = ?", [id]) {
      guard let handler = columns[0], !claim.exceptHandlers.contains(handler) else { continue }
      found += try find("\(free) AND handler = ?", [except, handler], handler)
    }
    return found
  }

  func changedJobs(for id: UUID) throws -> [JobRow] {
    try rows(
      """
      SELECT row FROM timers_served AS served JOIN timers_job AS job ON name = job
      WHERE session = ? AND (served.schedule <> job.schedule OR handler <> '')
      """, [id.uuidString]
    ).filter { !$0.isRemoved }
  }

  func missingJobs(for id: UUID) throws -> [String] {
    try execute(
      """
      SELECT job FROM timers_served
      WHERE session = ? AND NOT EXISTS (SELECT 1 FROM timers_job WHERE name = job)
      """, [id.uuidString]
    ).compactMap { $0.first ?? nil }
  }

  func dueHandlers(until now: StoreTime) throws -> [String] {
    // The index has the handlers in order, so each is one look at it.
    var (found, last) = ([String](), "")
    let sql = """
      SELECT handler, at FROM timers_job WHERE token IS NULL AND is_paused = 0 AND handler > ?
        AND at IS NOT NULL ORDER BY handler, at LIMIT 1
      """
    while let next = try execute(sql, [last]).first, let handler = next[0], let at = next[1] {
      if Int64(at) ?? .max <= now.microseconds { found.append(handler) }
      last = handler
    }
    return found
  }

  func jobs(on page: JobsRequest, at now: StoreTime) throws -> [JobRow] {
    try rows(
      """
      SELECT row FROM timers_job
      WHERE name > ?1 AND instr(lower(name), lower(?2)) > 0 AND row ->> '$.isRemoved' = 0
        AND handler = coalesce(?4, handler)
        AND (?5 IS NULL OR ?5 = CASE
          WHEN token IS NOT NULL THEN 'running'
          WHEN is_paused = 1 THEN 'paused'
          WHEN handler <> '' AND at IS NULL THEN 'failed'
          WHEN at <= CAST(?6 AS INTEGER) THEN 'due'
          WHEN row ->> '$.until' IS NOT NULL AND row ->> '$.failedEnd' IS NOT NULL THEN 'retrying'
          ELSE 'waiting' END)
      ORDER BY name LIMIT CAST(?3 AS INTEGER)
      """,
      [page.after ?? "", page.matching, "\(page.limit)", page.handler, page.state?.rawValue, text(now)])
  }

  func backlogs(at now: StoreTime) throws -> [HandlerBacklog] {
    var backlogs: [String: HandlerBacklog] = [:]
    // The jobs that wait are by handler and moment in an index. So few are read that aren't due.
    let free = "token IS NULL AND is_paused = 0 AND at IS NOT NULL"
    let due = "FROM timers_job WHERE handler = one AND \(free) AND at <= CAST(?1 AS INTEGER)"
    let counts = """
      WITH RECURSIVE known (one) AS (
        SELECT min(handler) FROM timers_job WHERE handler > '' AND \(free)
        UNION ALL
        SELECT (SELECT min(handler) FROM timers_job WHERE handler > one AND \(free)) FROM known
        WHERE one IS NOT NULL)
      SELECT one, (SELECT count(*) FROM (SELECT 1 \(due) LIMIT 10000)), (SELECT min(at) \(due)) FROM known
      """
    func add(_ state: ClusterJob.State, _ sql: String) throws {
      for columns in try execute(sql, [text(now)]) {
        guard let handler = columns[0], let count = columns[1].flatMap({ Int($0) }), count > 0 else {
          continue
        }
        let first = columns[2].flatMap { Int64($0) }.map { StoreTime(microseconds: $0) }
        backlogs[handler, default: HandlerBacklog(handler: handler)].add(count, state, first: first)
      }
    }
    try add(.due, counts)
    // Each is a look at an index of its own.
    for (state, condition) in [
      (ClusterJob.State.failed, "token IS NULL AND is_paused = 0 AND at IS NULL AND ?1 IS NOT NULL"),
      (
        .retrying,
        "row ->> '$.failedEnd' IS NOT NULL AND token IS NULL AND is_paused = 0 AND at > CAST(? AS INTEGER)"
      ),
      (.running, "token IS NOT NULL AND row ->> '$.isRemoved' = 0 AND ?1 IS NOT NULL"),
    ] {
      try add(
        state,
        """
        SELECT handler, count(*), min(at) FROM timers_job
        WHERE handler <> '' AND \(condition) GROUP BY handler
        """)
    }
    return Array(backlogs.values)
  }

  func pauses() throws -> [ClusterPause] { try rows("SELECT row FROM timers_pause", []) }

  func save(_ pause: ClusterPause) throws {
    _ = try execute(
      "INSERT OR REPLACE INTO timers_pause VALUES (?, ?)", [pause.handler ?? "", try pause.json])
  }
}
