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

  func heldJobs() throws -> [JobRow] { try rows("SELECT row FROM timers_job WHERE token IS NOT NULL", []) }

  func job(heldBy token: Int64) throws -> JobRow? {
    try rows("SELECT row FROM timers_job WHERE token = ?", ["\(token)"], of: JobRow.self).first
  }

  func freeJobs(for claim: ClaimRequest, until now: StoreTime?, limit: Int) throws -> [JobRow] {
    // Texts of statements don't vary, as clients keep each prepared.
    let id = claim.session.uuidString
    let (except, last) = (try claim.except.json, text(now) ?? "\(Int64.max)")
    let rest = """
      AND name NOT IN (SELECT value FROM json_each(?)) AND at <= CAST(? AS INTEGER)
      ORDER BY at, name LIMIT CAST(? AS INTEGER)
      """
    var found = try rows(
      """
      SELECT row FROM timers_job AS job WHERE token IS NULL AND is_paused = 0 AND handler = ''
        AND EXISTS (SELECT 1 FROM timers_served WHERE session = ? AND job = name AND schedule = job.schedule) \(rest)
      """, [id, except, last, "\(limit)"], of: JobRow.self)
    for columns in try execute("SELECT handler FROM timers_handler WHERE session = ?", [id]) {
      guard let handler = columns.first ?? nil, !claim.exceptHandlers.contains(handler) else { continue }
      found += try rows(
        "SELECT row FROM timers_job WHERE token IS NULL AND is_paused = 0 AND handler = ? \(rest)",
        [handler, except, last, "\(min(limit, claim.rooms[handler] ?? limit))"])
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

  func jobs(matching part: String, after name: String?, limit: Int) throws -> [JobRow] {
    try rows(
      """
      SELECT row FROM timers_job
      WHERE name > ? AND instr(lower(name), lower(?)) > 0 AND row ->> '$.isRemoved' = 0
      ORDER BY name LIMIT CAST(? AS INTEGER)
      """, [name ?? "", part, "\(limit)"])
  }

  func pauses() throws -> [ClusterPause] { try rows("SELECT row FROM timers_pause", []) }

  func save(_ pause: ClusterPause) throws {
    _ = try execute(
      "INSERT OR REPLACE INTO timers_pause VALUES (?, ?)", [pause.handler ?? "", try pause.json])
  }
}
