package import TimerSchedulingFoundation

/// The tables of a store in memory.
package struct MemoryTables: StoreTables {
  package var clock: (@Sendable () -> Date)?
  package private(set) var rows: [String: JobRow] = [:]
  package private(set) var sessions: [UUID: SessionRow] = [:]
  /// The jobs that each session's replica has, with the texts of their schedules, and its handlers.
  private var served: [UUID: (jobs: [String: String], handlers: Set<String>)] = [:]
  /// The names of the rows that are held, by token.
  private var held: [Int64: String] = [:]
  /// The newest runs, in the order of their tokens.
  package private(set) var history: [RunRow] = []
  /// The tokens of each job's runs, in order.
  private var tokens: [String: [Int64]] = [:]
  private var lastToken: Int64 = 0
  private var allPauses: [ClusterPause] = []
  private var turns: [String: TurnRow] = [:]

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

  package func sessions(serving job: String) -> [UUID: String] { served.compactMapValues { $0.jobs[job] } }

  package func sessions(handling handler: String) -> Set<UUID> {
    Set(served.filter { $0.value.handlers.contains(handler) }.keys)
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

  private var heldJobs: [JobRow] { held.sorted { $0.key < $1.key }.compactMap { rows[$0.value] } }

  package func jobs(heldBy session: UUID) -> [JobRow] { heldJobs.filter { $0.holder?.session == session } }

  package func job(heldBy token: Int64) -> JobRow? { held[token].flatMap { rows[$0] } }

  package func freeJobs(for claim: ClaimRequest, until now: StoreTime) -> [JobRow] {
    let due = freeJobs(for: claim).filter { claim.limits[$0.job.handler] == nil && $0.isFree(at: now) }
    return Dictionary(grouping: due, by: \.job.handler).flatMap { handler, rows in
      rows.sorted { $0.isDueBefore($1) }.prefix(min(claim.limit, claim.rooms[handler] ?? .max))
    }
  }

  package func nextFree(for claim: ClaimRequest, besides rows: [JobRow], at now: StoreTime) -> StoreTime? {
    let known = Set(rows.map(\.job.name))
    return freeJobs(for: claim).filter { row in
      claim.limits[row.job.handler] == nil
        ? !known.contains(row.job.name) : row.job.nextTime.map { $0 > now } ?? false
    }.compactMap(\.job.nextTime).min()
  }

  private func dueJobs(of handler: String, until now: StoreTime) -> [JobRow] {
    rows.values.filter { $0.job.handler == handler && $0.isFree(at: now) }
  }

  package func dueKeys(of handler: String, after key: String, until now: StoreTime, limit: Int) -> [String] {
    Array(Set(dueJobs(of: handler, until: now).map(\.key).filter { $0 > key }).sorted().prefix(limit))
  }

  package func freeJobs(
    of handler: String, key: String, for claim: ClaimRequest, until now: StoreTime, limit: Int
  ) -> [JobRow] {
    let due = dueJobs(of: handler, until: now).filter { $0.key == key && !claim.except.contains($0.job.name) }
    return Array(due.sorted { $0.isDueBefore($1) }.prefix(limit))
  }

  package func running(of handler: String) -> [(key: String, session: UUID)] {
    heldJobs.filter { ($0.rangeHandler ?? $0.job.handler) == handler }.compactMap { row in
      row.holder?.session.map { (row.holder?.key ?? "", $0) }
    }
  }

  package func turn(of handler: String) -> TurnRow? { turns[handler] }

  package mutating func save(_ turn: TurnRow, of handler: String) { turns[handler] = turn }

  private func freeJobs(for claim: ClaimRequest) -> [JobRow] {
    let own = (served[claim.session]?.jobs ?? [:]).compactMap { name, schedule in
      rows[name].flatMap { $0.job.handler.isEmpty && $0.job.schedule == schedule ? $0 : nil }
    }
    let handlers = (served[claim.session]?.handlers ?? []).subtracting(claim.exceptHandlers)
    let put = handlers.isEmpty ? [] : rows.values.filter { handlers.contains($0.job.handler) }
    let except = Set(claim.except)
    return (own + put).filter { $0.holder == nil && !$0.job.isPaused && !except.contains($0.job.name) }
  }

  package func heldJobs(for claim: ClaimRequest, at now: StoreTime) -> HeldJobs {
    var found = HeldJobs()
    let own = served[claim.session]
    for row in heldJobs where row.holder?.session != claim.session {
      let (job, id) = (row.job, row.holder?.session)
      let isServed =
        job.handler.isEmpty
        ? own?.jobs[job.name] == job.schedule
        : own?.handlers.contains(job.handler) == true && !claim.exceptHandlers.contains(job.handler)
      let isWanted = isServed && !row.isRemoved && !job.isPaused && !claim.except.contains(job.name)
      found.note(
        id.flatMap { sessions[$0] }, id, isWanted: isWanted, isRemoved: row.isRemoved, at: now, row: { row })
    }
    return found
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
    let due = rows.values.filter { !$0.job.handler.isEmpty && $0.isFree(at: now) }
    return Array(Set(due.map(\.job.handler)))
  }

  package func jobs(on page: JobsRequest, at now: StoreTime) -> [JobRow] {
    let part = Self.lowercased(page.matching)
    let found = rows.values.filter { row in
      !row.isRemoved && page.after.map { row.job.name > $0 } ?? true
        && page.handler.map { row.job.handler == $0 } ?? true
        && page.state.map { row.state(at: now) == $0 } ?? true
        && (part.isEmpty || Self.lowercased(row.job.name).contains(part))
    }
    return Array(found.sorted { $0.job.name < $1.job.name }.prefix(page.limit))
  }

  package func backlogs(at now: StoreTime) -> [HandlerBacklog] {
    var backlogs: [String: HandlerBacklog] = [:]
    for row in rows.values where !row.isRemoved && !row.job.handler.isEmpty {
      let state = row.state(at: now)
      if state == .waiting || state == .paused { continue }
      let handler = row.job.handler
      backlogs[handler, default: HandlerBacklog(handler: handler)].add(1, state, first: row.job.nextTime)
    }
    return Array(backlogs.values)
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

  package mutating func drawTokens(_ count: Int) -> Range<Int64> {
    let first = lastToken + 1
    lastToken += Int64(count)
    return first..<lastToken + 1
  }

  package func run(_ token: Int64) -> RunRow? {
    let place = Self.place(of: token, in: history, by: \.record.token)
    return place < history.count && history[place].record.token == token ? history[place] : nil
  }

  package mutating func save(_ run: RunRow) {
    let token = run.record.token
    if history.count >= 100_000 { _ = removeRuns(HistoryRemoval(keeping: 90_000, limit: 10_000)) }
    let place = Self.place(of: token, in: history, by: \.record.token)
    guard place == history.count || history[place].record.token != token else { return history[place] = run }
    history.insert(run, at: place)
    // A claim that has drawn its tokens earlier may be written later.
    var own = tokens[run.record.job] ?? []
    own.insert(token, at: Self.place(of: token, in: own, by: \.self))
    tokens[run.record.job] = own
  }

  /// Returns the place of the first element whose token isn't lower.
  private static func place<Element>(
    of token: Int64, in elements: [Element], by path: KeyPath<Element, Int64>
  ) -> Int {
    var (low, high) = (0, elements.count)
    while low < high {
      let middle = (low + high) / 2
      if elements[middle][keyPath: path] >= token { high = middle } else { low = middle + 1 }
    }
    return low
  }

  private func runs(of job: String) -> [RunRow] { (tokens[job] ?? []).compactMap { run($0) } }

  private func dates(of job: String) -> [StoreTime] {
    runs(of: job).filter { !$0.record.isAsked && [.done, .failed].contains($0.record.outcome) }
      .compactMap(\.record.scheduledTime)
  }

  package func lastDate(of job: String, before moment: StoreTime) -> StoreTime? {
    dates(of: job).filter { $0 < moment }.max()
  }

  package func dates(of job: String, from moment: StoreTime) -> [StoreTime] {
    dates(of: job).filter { $0 >= moment }.sorted()
  }

  package func lastBegun(of job: String) -> StoreTime? {
    runs(of: job).last { !$0.isHidden }?.record.beganTime
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

  package mutating func removeRuns(_ removal: HistoryRemoval) -> Int {
    let surplus = history.count - (removal.keeping ?? history.count)
    // Records of runs under way stay. There are no more of them than rows that are held.
    let bound = removal.failedBefore == nil ? removal.limit + held.count : history.count
    let old = history.prefix(bound).lazy.enumerated().filter { [held] place, run in
      let ownTime = run.isFailed ? removal.failedBefore : nil
      let isOld = (ownTime ?? removal.before).map { run.record.beganTime < $0 } ?? false
      return (isOld || ownTime == nil && place < surplus) && held[run.record.token] == nil
    }.prefix(removal.limit)
    let removed = Set(old.map(\.element.record.token))
    if removed.isEmpty { return 0 }
    history.removeAll { removed.contains($0.record.token) }
    tokens = Dictionary(grouping: history, by: \.record.job).mapValues { $0.map(\.record.token) }
    return removed.count
  }
}

extension MemoryTables {
  /// Writes what was changed, unless a row that is to be changed or that the change requires is another one.
  package mutating func write(_ found: RowSet) throws -> Bool {
    let required = found.requirement
    let isCurrent =
      found.jobs.allSatisfy { !$1.isChanged && !required.jobs.contains($0) || rows[$0] == $1.before }
      && found.runs.allSatisfy { !$1.isChanged || run($0) == $1.before }
      && found.sessions.allSatisfy { !$1.isChanged || sessions[$0] == $1.before }
      && found.turns.allSatisfy { !$1.isChanged || turns[$0] == $1.before }
      && found.begun.allSatisfy { lastBegun(of: $0) == $1 }
      && (!required.hasPauses || found.readPauses == pauses())
      && required.unserved.allSatisfy { name in
        let serving = sessions(serving: name)
        return found.serving[name] == serving
          && serving.keys.allSatisfy { sessions[$0] == found.sessions[$0]?.before }
      }
    if isCurrent { try save(found) }
    return isCurrent
  }
}
