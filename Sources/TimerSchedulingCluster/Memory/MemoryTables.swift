package import TimerSchedulingFoundation

package struct MemoryTables: StoreTables {
  package var clock: (@Sendable () -> Date)?
  package private(set) var rows: [String: JobRow] = [:]
  package private(set) var sessions: [UUID: SessionRow] = [:]
  /// The jobs that each session's replica has, with the texts of their schedules, and its handlers.
  private var served: [UUID: (jobs: [String: String], handlers: Set<String>)] = [:]
  /// The names of the rows that are held, by token.
  private var held: [Int64: String] = [:]
  /// The newest runs, in the order of their tokens.
  private var history: [RunRow] = []
  /// The tokens of each job's runs, in order.
  private var tokens: [String: [Int64]] = [:]
  private var lastToken: Int64 = 0
  private var allPauses: [ClusterPause] = []

  package init(clock: (@Sendable () -> Date)? = nil) { self.clock = clock }

  package var now: StoreTime { StoreTime(clock?() ?? Date()) }

  package func session(_ id: UUID) -> SessionRow? { sessions[id] }

  package mutating func save(_ session: SessionRow, _ id: UUID) { sessions[id] = session }

  package mutating func setServed(_ jobs: [String: String], handlers: [String], by id: UUID) {
    served[id] = (jobs, Set(handlers))
  }

  package mutating func removeSessions(endedBefore time: StoreTime) {
    sessions = sessions.filter { $0.value.leaseEnd >= time }
    served = served.filter { sessions[$0.key] != nil }
  }

  package func sessions(serving job: String, schedule: String?) -> [UUID: SessionRow] {
    sessions.filter { id, _ in served[id]?.jobs[job].map { schedule == nil || $0 == schedule } ?? false }
  }

  package func sessions(handling handler: String) -> [UUID: SessionRow] {
    sessions.filter { id, _ in served[id]?.handlers.contains(handler) ?? false }
  }

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

  package func jobs(accountedBeyond moment: StoreTime) -> [JobRow] {
    rows.values.filter { row in
      row.holder == nil && row.job.nextTime.map { $0 > moment } ?? false
        && max(row.from, row.until?.next ?? row.from) > moment
    }
  }

  package func heldJobs() -> [JobRow] { held.values.compactMap { rows[$0] } }

  package func job(heldBy token: Int64) -> JobRow? { held[token].flatMap { rows[$0] } }

  package func freeJobs(for claim: ClaimRequest, until now: StoreTime?, limit: Int) -> [JobRow] {
    let except = Set(claim.except)
    let own = (served[claim.session]?.jobs ?? [:]).compactMap { name, schedule in
      rows[name].flatMap { $0.job.handler.isEmpty && $0.job.schedule == schedule ? $0 : nil }
    }
    let handlers = (served[claim.session]?.handlers ?? []).subtracting(claim.exceptHandlers)
    let put = handlers.isEmpty ? [] : rows.values.filter { handlers.contains($0.job.handler) }
    return (own + put).filter { row in
      row.holder == nil && !row.job.isPaused && !except.contains(row.job.name)
        && row.job.nextTime.map { $0 <= now ?? $0 } ?? false
    }
  }

  package func changedJobs(for id: UUID) -> [JobRow] {
    (served[id]?.jobs ?? [:]).compactMap { name, schedule in
      guard let row = rows[name], !row.isRemoved else { return nil }
      return row.job.schedule == schedule && row.job.handler.isEmpty ? nil : row
    }
  }

  package func missingJobs(for id: UUID) -> [String] {
    (served[id]?.jobs ?? [:]).keys.filter { rows[$0] == nil }
  }

  package func dueHandlers(until now: StoreTime) -> [String] {
    let due = rows.values.filter { row in
      !row.job.handler.isEmpty && row.holder == nil && !row.job.isPaused
        && row.job.nextTime.map { $0 <= now } ?? false
    }
    return Array(Set(due.map(\.job.handler)))
  }

  package func jobs(matching part: String, after name: String?, limit: Int) -> [JobRow] {
    let part = Self.lowercased(part)
    let found = rows.values.filter { row in
      !row.isRemoved && name.map { row.job.name > $0 } ?? true
        && (part.isEmpty || Self.lowercased(row.job.name).contains(part))
    }
    return Array(found.sorted { $0.job.name < $1.job.name }.prefix(limit))
  }

  /// Returns a text with the letters A to Z in lower case. The databases compare names so.
  private static func lowercased(_ text: String) -> String {
    String(decoding: text.utf8.map { 65...90 ~= $0 ? $0 + 32 : $0 }, as: UTF8.self)
  }

  package func pauses() -> [ClusterPause] { allPauses }

  package mutating func save(_ pause: ClusterPause) {
    allPauses.removeAll { $0.handler == pause.handler }
    allPauses.append(pause)
  }

  package mutating func nextToken() -> Int64 {
    lastToken += 1
    return lastToken
  }

  package func run(_ token: Int64) -> RunRow? { place(of: token).map { history[$0] } }

  package mutating func save(_ run: RunRow) {
    if let place = place(of: run.record.token) {
      history[place] = run
    } else if run.record.token == lastToken {
      if history.count >= 100_000 { _ = removeRuns(before: nil, keeping: 90_000, limit: 10_000) }
      history.append(run)
      tokens[run.record.job, default: []].append(run.record.token)
    }
  }

  private func place(of token: Int64) -> Int? {
    var (low, high) = (0, history.count)
    while low < high {
      let middle = (low + high) / 2
      if history[middle].record.token >= token { high = middle } else { low = middle + 1 }
    }
    return low < history.count && history[low].record.token == token ? low : nil
  }

  private func runs(of job: String) -> [RunRow] { (tokens[job] ?? []).compactMap { run($0) } }

  private func dates(of job: String) -> [StoreTime] {
    runs(of: job).filter { !$0.record.isAsked && [.done, .failed].contains($0.record.outcome) }
      .compactMap(\.record.scheduledTime)
  }

  package func lastDate(of job: String, through moment: StoreTime) -> StoreTime? {
    dates(of: job).filter { $0 <= moment }.max()
  }

  package func firstDate(of job: String, from moment: StoreTime) -> StoreTime? {
    dates(of: job).filter { $0 >= moment }.min()
  }

  package func runs(of job: String?, limit: Int) -> [ClusterRunRecord] {
    let shown = history.reversed().lazy.filter { !$0.isHidden && (job == nil || $0.record.job == job) }
    return shown.prefix(limit).map(\.record)
  }

  package func runs(of job: String, around date: StoreTime) -> [RunRow] {
    let own = runs(of: job)
    let shown = own.filter { !$0.isHidden }
    let before = shown.last { $0.record.beganTime <= date }
    let after = shown.first { $0.record.beganTime > date }
    let found = own.filter { $0.record.concerns(date) }.suffix(100) + [before, after].compactMap(\.self)
    let (tokens, ranges) = (Set(found.map(\.record.token)), Set(found.compactMap(\.record.from)))
    return own.filter { run in
      tokens.contains(run.record.token) || run.record.from.map { ranges.contains($0) } ?? false
    }
  }

  package mutating func removeRuns(before time: StoreTime?, keeping: Int?, limit: Int) -> Int {
    let surplus = history.count - (keeping ?? history.count)
    // Records of runs under way stay. There are no more of them than rows that are held.
    let oldest = history.prefix(min(limit, history.count) + held.count).enumerated()
    let old = oldest.filter { place, run in
      (time.map { run.record.beganTime < $0 } ?? false || place < surplus) && held[run.record.token] == nil
    }.prefix(limit)
    let removed = Set(old.map(\.element.record.token))
    if removed.isEmpty { return 0 }
    history.removeAll { removed.contains($0.record.token) }
    tokens = Dictionary(grouping: history, by: \.record.job).mapValues { $0.map(\.record.token) }
    return removed.count
  }
}
