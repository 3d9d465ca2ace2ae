import TimerSchedulingFoundation

/// The tables of a store in SQLite. Each row is an object in JSON, beside the columns by which it is found.
///
/// A transaction holds them from the read to the write, so a row is always as it was read.
struct SQLiteTables: StoreTables {
  let execute: SQLiteTimerStore.Execute
  let now: StoreTime

  /// The version of the program, and of the tables that it makes.
  private static let version: Int64 = 2

  /// Makes the tables if they aren't there.
  func make() throws {
    for statement in Self.schema.split(separator: ";\n") { _ = try execute(String(statement), []) }
  }

  /// Throws if the tables serve newer programs only. One may have changed them since the last request.
  func check() throws {
    let found = try number("SELECT programs FROM timers_version", []) ?? Self.version
    if found > Self.version {
      throw ClusterError.schemaNewer(schema: "timers", found: Int(found), supported: Int(Self.version))
    }
  }

  /// The key of a job's row. An index is used only by the expressions that it was made with.
  static let key = "coalesce(row ->> '$.job.key', '')"
  /// Whether a run has failed, or was abandoned.
  private static let isFailed = "outcome IN ('failed', 'abandoned') AND is_hidden = 0"

  /// `programs` is the oldest version that the tables serve. A pause of the cluster has an empty handler.
  private static let schema = """
    CREATE TABLE IF NOT EXISTS timers_version (id INTEGER PRIMARY KEY, programs INTEGER NOT NULL);
    INSERT INTO timers_version VALUES (1, \(version))
    ON CONFLICT (id) DO UPDATE SET programs = max(programs, excluded.programs);
    CREATE TABLE IF NOT EXISTS timers_job (
      name TEXT PRIMARY KEY, handler TEXT NOT NULL, schedule TEXT NOT NULL, at INTEGER, token INTEGER, is_paused INTEGER NOT NULL,
      row TEXT NOT NULL
    ) WITHOUT ROWID;
    CREATE INDEX IF NOT EXISTS timers_job_free ON timers_job (handler, at)
    WHERE token IS NULL AND is_paused = 0 AND at IS NOT NULL;
    CREATE INDEX IF NOT EXISTS timers_job_held ON timers_job (token) WHERE token IS NOT NULL;
    CREATE INDEX IF NOT EXISTS timers_job_failed ON timers_job (handler)
    WHERE token IS NULL AND is_paused = 0 AND at IS NULL;
    CREATE INDEX IF NOT EXISTS timers_job_turn ON timers_job (handler, \(key), at)
    WHERE token IS NULL AND is_paused = 0 AND at IS NOT NULL;
    CREATE TABLE IF NOT EXISTS timers_turn (handler TEXT PRIMARY KEY, row TEXT NOT NULL) WITHOUT ROWID;
    CREATE INDEX IF NOT EXISTS timers_job_retrying ON timers_job (handler, at)
    WHERE row ->> '$.failedEnd' IS NOT NULL AND token IS NULL AND is_paused = 0;
    CREATE TABLE IF NOT EXISTS timers_session (id TEXT PRIMARY KEY, lease_end INTEGER, row TEXT NOT NULL);
    CREATE TABLE IF NOT EXISTS timers_served (
      session TEXT NOT NULL, job TEXT NOT NULL, schedule TEXT NOT NULL, PRIMARY KEY (session, job)
    ) WITHOUT ROWID;
    CREATE INDEX IF NOT EXISTS timers_served_job ON timers_served (job, schedule);
    CREATE TABLE IF NOT EXISTS timers_handler (
      session TEXT NOT NULL, handler TEXT NOT NULL, PRIMARY KEY (session, handler)
    ) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS timers_run (
      token INTEGER PRIMARY KEY, job TEXT NOT NULL, began INTEGER NOT NULL, date INTEGER, outcome TEXT NOT NULL,
      is_hidden INTEGER NOT NULL, row TEXT NOT NULL
    );
    CREATE INDEX IF NOT EXISTS timers_run_job ON timers_run (job, token);
    CREATE TABLE IF NOT EXISTS timers_pause (handler TEXT PRIMARY KEY, row TEXT NOT NULL) WITHOUT ROWID;
    CREATE INDEX IF NOT EXISTS timers_run_failed ON timers_run (token)
    WHERE \(isFailed);
    CREATE INDEX IF NOT EXISTS timers_run_date ON timers_run (job, date);
    CREATE TABLE IF NOT EXISTS timers_token (id INTEGER PRIMARY KEY, last INTEGER NOT NULL);
    INSERT OR IGNORE INTO timers_token VALUES (1, 0)
    """

  func rows<Row: Decodable>(_ sql: String, _ parameters: [String?], of: Row.Type = Row.self) throws -> [Row] {
    let decoder = JSONDecoder()
    return try execute(sql, parameters).map { columns in
      guard let text = columns.first ?? nil else { throw UnexpectedAnswer("no row") }
      return try decoder.decode(Row.self, from: Data(text.utf8))
    }
  }

  func number(_ sql: String, _ parameters: [String?]) throws -> Int64? {
    try execute(sql, parameters).first?.first?.flatMap { Int64($0) }
  }

  func text(_ time: StoreTime?) -> String? { time.map { "\($0.microseconds)" } }

  func session(_ id: UUID) throws -> SessionRow? {
    try rows("SELECT row FROM timers_session WHERE id = ?", [id.uuidString], of: SessionRow.self).first
  }

  func save(_ session: SessionRow, _ id: UUID) throws {
    _ = try execute(
      "INSERT OR REPLACE INTO timers_session VALUES (?, ?, ?)",
      [id.uuidString, text(session.leaseEnd), try session.json])
  }

  func setServed(_ jobs: [String: String], handlers: [String], by id: UUID) throws {
    for table in ["timers_served", "timers_handler"] {
      _ = try execute("DELETE FROM \(table) WHERE session = ?", [id.uuidString])
    }
    _ = try execute(
      "INSERT INTO timers_served SELECT ?, key, value FROM json_each(?)", [id.uuidString, try jobs.json])
    _ = try execute(
      "INSERT INTO timers_handler SELECT DISTINCT ?, value FROM json_each(?)",
      [id.uuidString, try handlers.json])
  }

  func removeSessions(endedBefore time: StoreTime) throws {
    _ = try execute("DELETE FROM timers_session WHERE lease_end < ?", [text(time)])
    for table in ["timers_served", "timers_handler"] {
      _ = try execute("DELETE FROM \(table) WHERE session NOT IN (SELECT id FROM timers_session)", [])
    }
  }

  func sessions(serving job: String) throws -> [UUID: String] {
    try execute("SELECT session, schedule FROM timers_served WHERE job = ?", [job]).reduce(into: [:]) {
      guard let id = id($1[0]) else { return }
      $0[id] = $1[1]
    }
  }

  func sessions(handling handler: String) throws -> Set<UUID> {
    Set(
      try execute("SELECT session FROM timers_handler WHERE handler = ?", [handler]).compactMap { id($0[0]) })
  }

  func id(_ text: String?) -> UUID? { text.flatMap { UUID(uuidString: $0) } }

  func drawTokens(_ count: Int) throws -> Range<Int64> {
    // If a program has emptied the tables, the tokens go on above those of runs under way.
    let sql = """
      INSERT INTO timers_token VALUES (1, CAST(? AS INTEGER))
      ON CONFLICT (id) DO UPDATE SET last = last + CAST(? AS INTEGER) RETURNING last
      """
    guard let last = try number(sql, ["\(now.microseconds + Int64(count))", "\(count)"]) else {
      throw UnexpectedAnswer("no token")
    }
    return last - Int64(count) + 1..<last + 1
  }

  func run(_ token: Int64) throws -> RunRow? {
    try rows("SELECT row FROM timers_run WHERE token = ?", ["\(token)"], of: RunRow.self).first
  }

  func save(_ run: RunRow) throws {
    let record = run.record
    _ = try execute(
      "INSERT OR REPLACE INTO timers_run VALUES (?, ?, ?, ?, ?, ?, ?)",
      [
        "\(record.token)", record.job, text(record.beganTime), text(record.scheduledTime),
        record.outcome.rawValue, run.isHidden ? "1" : "0", try run.json,
      ])
  }

  func lastDate(of job: String, before moment: StoreTime) throws -> StoreTime? {
    try dates(of: job, "date < CAST(? AS INTEGER) ORDER BY date DESC LIMIT 1", moment).first
  }

  func dates(of job: String, from moment: StoreTime) throws -> [StoreTime] {
    try dates(of: job, "date >= CAST(? AS INTEGER) ORDER BY date", moment)
  }

  private func dates(of job: String, _ condition: String, _ moment: StoreTime) throws -> [StoreTime] {
    try execute(
      """
      SELECT date FROM timers_run WHERE job = ? AND outcome IN ('done', 'failed')
        AND row ->> '$.record.isAsked' = 0 AND \(condition)
      """, [job, text(moment)]
    ).compactMap { $0[0].flatMap { Int64($0) }.map { StoreTime(microseconds: $0) } }
  }

  func lastBegun(of job: String) throws -> StoreTime? {
    let sql = "SELECT began FROM timers_run WHERE job = ? AND is_hidden = 0 ORDER BY token DESC LIMIT 1"
    return try number(sql, [job]).map { StoreTime(microseconds: $0) }
  }

  func runs(of job: String?, limit: Int) throws -> [ClusterRunRecord] {
    let runs = try rows(
      """
      SELECT row FROM timers_run WHERE is_hidden = 0 \(job == nil ? "" : "AND job = ?")
      ORDER BY token DESC LIMIT CAST(? AS INTEGER)
      """, [job, "\(limit)"].compactMap(\.self), of: RunRow.self)
    return runs.map(\.record)
  }

  func runs(of job: String, around date: StoreTime) throws -> [RunRow] {
    try rows(
      """
      WITH own AS (
        SELECT token, began, is_hidden, row, row ->> '$.record.from' AS first, CAST(?2 AS INTEGER) AS day
        FROM timers_run WHERE job = ?1
      ), found AS (
        SELECT token, first FROM (
          SELECT token, first FROM own
          WHERE day BETWEEN first AND row ->> '$.record.through' OR day = row ->> '$.record.date'
            OR EXISTS (
              SELECT 1 FROM json_each(own.row, '$.record.skipped') AS range
              WHERE day BETWEEN range.value ->> '$.from' AND range.value ->> '$.through')
          ORDER BY token DESC LIMIT 100)
        UNION SELECT * FROM (
          SELECT token, first FROM own WHERE is_hidden = 0 AND began <= day ORDER BY token DESC LIMIT 1)
        UNION SELECT * FROM (
          SELECT token, first FROM own WHERE is_hidden = 0 AND began > day ORDER BY token LIMIT 1)
      )
      SELECT row FROM own
      WHERE token IN (SELECT token FROM found) OR first IN (SELECT first FROM found WHERE first IS NOT NULL)
      ORDER BY token
      """, [job, text(date)])
  }

  func removeRuns(_ removal: HistoryRemoval) throws -> Int {
    // To find the newest of those that are too many reads all others, so there have to be some more.
    let surplus = try removal.keeping.flatMap { keeping in
      try number(
        """
        SELECT token FROM timers_run
        WHERE (SELECT max(token) FROM timers_run) - (SELECT min(token) FROM timers_run) >= \(keeping + keeping / 8)
        ORDER BY token DESC LIMIT 1 OFFSET \(keeping)
        """, [])
    }
    _ = try execute(
      """
      DELETE FROM timers_run WHERE token IN (
        SELECT token FROM (
          SELECT * FROM (
            SELECT token, began < CAST(?1 AS INTEGER) OR token <= CAST(?2 AS INTEGER) AS is_old FROM timers_run
            WHERE ?4 IS NULL OR NOT (\(Self.isFailed)) ORDER BY token
            LIMIT CAST(?3 AS INTEGER) + (SELECT count(*) FROM timers_job WHERE token IS NOT NULL))
          UNION ALL SELECT * FROM (
            SELECT token, began < CAST(?4 AS INTEGER) FROM timers_run WHERE \(Self.isFailed) AND ?4 IS NOT NULL
            ORDER BY token LIMIT CAST(?3 AS INTEGER)))
        WHERE is_old AND token NOT IN (SELECT token FROM timers_job WHERE token IS NOT NULL)
        ORDER BY token LIMIT CAST(?3 AS INTEGER))
      """,
      [text(removal.before) ?? "0", "\(surplus ?? 0)", "\(removal.limit)", text(removal.failedBefore)])
    return try Int(number("SELECT changes()", []) ?? 0)
  }
}

extension SQLiteTables: RowStore {
  func read(_ query: RowQuery) throws -> RowSet {
    var tables = self
    return try tables.bring(query)
  }

  func write(_ rows: RowSet) throws -> Bool {
    var tables = self
    try tables.save(rows)
    return true
  }
}
