package import TimerSchedulingFoundation

/// The tables of a store in memory.
package struct MemoryTables: StoreTables {
  package var clock: (@Sendable () -> Date)?
  package private(set) var rows: [String: JobRow] = [:]
  package private(set) var sessions: [UUID: SessionRow] = [:]
  /// The jobs that each session's replica has, with the texts of their schedules.
  private var served: [UUID: [String: String]] = [:]
  private var handlers: [UUID: Set<String>] = [:]
  /// The names of the rows that are held, by token.
  private var held: [Int64: String] = [:]
  /// The newest runs, by token.
  private var history: [RunRow] = []
  private var lastToken: Int64 = 0
  private var allPauses: [ClusterPause] = []

  package init() {}

  package var now: StoreTime { StoreTime(clock?() ?? Date()) }

  // MARK: Sessions

  package func session(_ id: UUID) -> SessionRow? { sessions[id] }

  package mutating func save(_ session: SessionRow, _ id: UUID) { sessions[id] = session }

  package mutating func setServed(_ jobs: [String: String], handlers: [String], by id: UUID) {
    (served[id], self.handlers[id]) = (jobs, Set(handlers))
  }

  package mutating func removeSessions(endedBefore time: StoreTime) {
    sessions = sessions.filter { $0.value.leaseEnd >= time }
    served = served.filter { sessions[$0.key] != nil }
    handlers = handlers.filter { sessions[$0.key] != nil }
  }

  package func sessions(serving row: JobRow) -> [SessionRow] {
    sessions.filter { canRun(row, $0.key) }.map(\.value)
  }

  // MARK: Jobs

  package func job(_ name: String) -> JobRow? { rows[name] }

  package mutating func save(_ row: JobRow) {
    let name = row.job.name
    if let token = rows[name]?.holder?.token { held[token] = nil }
    if let token = row.holder?.token { held[token] = name }
    rows[name] = row
  }

  package mutating func removeJob(_ name: String) {
    if let token = rows.removeValue(forKey: name)?.holder?.token { held[token] = nil }
  }

  package func heldJobs() -> [JobRow] { held.values.compactMap { rows[$0] } }

  package func job(heldBy token: Int64) -> JobRow? { held[token].flatMap { rows[$0] } }

  package func freeJobs(for claim: ClaimRequest, until now: StoreTime) -> [JobRow] {
    claim.first(of: free(for: claim).filter { row in row.job.nextTime.map { $0 <= now } ?? false })
  }

  package func nextDate(for claim: ClaimRequest) -> StoreTime? {
    free(for: claim).compactMap(\.job.nextTime).min()
  }

  /// The rows that are free and that a claim's replica can run and wants.
  private func free(for claim: ClaimRequest) -> [JobRow] {
    let except = Set(claim.except)
    let own = (served[claim.session] ?? [:]).keys.compactMap { rows[$0] }
    let handlers = (handlers[claim.session] ?? []).subtracting(claim.exceptHandlers)
    let put = handlers.isEmpty ? [] : rows.values.filter { handlers.contains($0.job.handler) }
    return (own.filter { $0.job.handler.isEmpty && canRun($0, claim.session) } + put).filter { row in
      row.holder == nil && !row.job.isPaused && !except.contains(row.job.name)
    }
  }

  package func canRun(_ row: JobRow, _ id: UUID) -> Bool {
    let handler = row.job.handler
    return handler.isEmpty
      ? served[id]?[row.job.name] == row.job.schedule : handlers[id]?.contains(handler) ?? false
  }

  package func changedJobs(for id: UUID) -> [JobRow] {
    (served[id] ?? [:]).compactMap { name, schedule in
      guard let row = rows[name], !row.isRemoved else { return nil }
      return row.job.schedule == schedule && row.job.handler.isEmpty ? nil : row
    }
  }

  package func missingJobs(for id: UUID) -> [String] {
    (served[id] ?? [:]).keys.filter { rows[$0] == nil }
  }

  package func isServed(_ name: String, at now: StoreTime) -> Bool {
    served.contains { id, jobs in jobs[name] != nil && sessions[id]?.isLive(now) ?? false }
  }

  package func dueHandlers(until now: StoreTime) -> [String] {
    guard !handlers.isEmpty else { return [] }
    let due = rows.values.filter { row in
      !row.job.handler.isEmpty && row.holder == nil && !row.job.isPaused
        && row.job.nextTime.map { $0 <= now } ?? false
    }
    return Array(Set(due.map(\.job.handler)))
  }

  package func isHandled(_ handler: String, at now: StoreTime) -> Bool {
    handlers.contains { id, handlers in
      handlers.contains(handler) && sessions[id]?.isLive(now) ?? false
    }
  }

  package func jobs(matching part: String, after name: String?, limit: Int) -> [JobRow] {
    let part = Self.lowercased(part)
    let found = rows.values.filter { row in
      !row.isRemoved && name.map { row.job.name > $0 } ?? true
        && (part.isEmpty || Self.lowercased(row.job.name).contains(part))
    }
    return Array(found.sorted { $0.job.name < $1.job.name }.prefix(limit))
  }

  /// Returns a text with the letters A to Z in lower case, as databases compare names.
  private static func lowercased(_ text: String) -> String {
    String(decoding: text.utf8.map { 65...90 ~= $0 ? $0 + 32 : $0 }, as: UTF8.self)
  }

  package func pauses() -> [ClusterPause] { allPauses }

  package mutating func save(_ pause: ClusterPause) {
    allPauses.removeAll { $0.handler == pause.handler }
    allPauses.append(pause)
  }

  // MARK: Runs

  package mutating func nextToken() -> Int64 {
    lastToken += 1
    return lastToken
  }

  package func run(_ token: Int64) -> RunRow? { place(of: token).map { history[$0] } }

  package mutating func save(_ run: RunRow) {
    if let place = place(of: run.record.token) {
      history[place] = run
    } else if run.record.token == lastToken {
      if history.count >= 100_000 { history.removeFirst(10_000) }
      history.append(run)
    }
  }

  /// Tokens grow, so the newest runs are at the end.
  private func place(of token: Int64) -> Int? { history.lastIndex { $0.record.token == token } }

  package func lastDate(of job: String) -> StoreTime? {
    let runs = history.lazy.map(\.record).filter {
      $0.job == job && !$0.isAsked && [.done, .failed].contains($0.outcome)
    }
    return runs.compactMap(\.scheduledTime).max()
  }

  package func runs(of job: String?, limit: Int) -> [ClusterRunRecord] {
    let shown = history.reversed().lazy.filter { !$0.isHidden && (job == nil || $0.record.job == job) }
    return shown.prefix(limit).map(\.record)
  }

  package func runs(of job: String, around date: StoreTime) -> [RunRow] {
    let own = history.filter { $0.record.job == job }
    let shown = own.filter { !$0.isHidden }
    let (before, after) = (
      shown.last { $0.record.beganTime <= date }, shown.first { $0.record.beganTime > date }
    )
    let found = own.filter { $0.record.concerns(date) }.suffix(100) + [before, after].compactMap(\.self)
    let (tokens, ranges) = (Set(found.map(\.record.token)), Set(found.compactMap(\.record.from)))
    return own.filter { run in
      tokens.contains(run.record.token) || run.record.from.map { ranges.contains($0) } ?? false
    }
  }

  package mutating func removeRuns(before time: StoreTime?, keeping: Int?, limit: Int) -> Int {
    let surplus = history.count - (keeping ?? history.count)
    var (place, removed) = (0, 0)
    history.removeAll { run in
      defer { place += 1 }
      let isOld = time.map { run.record.beganTime < $0 } ?? false || place < surplus
      guard isOld, run.record.outcome != .running, removed < limit else { return false }
      removed += 1
      return true
    }
    return removed
  }
}
