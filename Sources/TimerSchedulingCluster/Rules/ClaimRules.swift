import TimerSchedulingFoundation

/// The rules of a claim.
extension ClaimRequest {
  /// Twin: `timers.claim_2`.
  package func perform(on tables: inout some StoreTables) throws -> ClaimAnswer {
    let (now, lease) = (try tables.now, Duration.microseconds(lease))
    var answer = ClaimAnswer(now: now)
    guard var own = try tables.session(session), !own.isOver else {
      answer.isOver = true
      return answer
    }
    let hasLease = own.leaseEnd >= now + lease / 2 && own.leaseEnd <= now + lease
    own.leaseEnd = now + lease
    if number <= own.number {
      try tables.save(own, session)
      answer.isOld = true
      let held = try number < own.number ? [] : tables.heldJobs()
      let repeated = held.filter { $0.holder?.session == session && $0.holder?.number == number }
      answer.runs = repeated.compactMap(\.claimed).sorted { $0.token < $1.token }
      return answer
    }
    let pauses = try tables.pauses()
    let isPaused = pauses.contains { $0.handler == nil && $0.ended == nil }
    var wanted = self
    wanted.exceptHandlers += pauses.compactMap { $0.ended == nil ? $0.handler : nil }
    if isPaused { wanted.limit = 0 }
    let held = try wanted.heldJobs(on: &tables, now: now)
    let free = try tables.freeJobs(for: wanted, until: now, limit: max(0, wanted.limit))
    let taken = wanted.first(of: free + held.filter { $0.leaseEnd == nil }.map(\.row))
    for var row in taken {
      row.giveUpOutdated()
      row.leaveOut(pauses)
      answer.runs.append(try take(&row, as: own, on: &tables, now: now))
    }
    // A claim that was sent once and brings nothing isn't numbered, and writes only if half of the lease is over.
    let isNumbered = isRepeated || !taken.isEmpty
    if isNumbered { own.number = number }
    if isNumbered || !hasLease { try tables.save(own, session) }
    if !isPaused { try wanted.look(at: held, on: tables, into: &answer) }
    try lookAtNames(on: tables, into: &answer)
    return answer
  }

  /// A row that another session has taken, and the end of its lease. Nil if others may take it.
  private typealias HeldJob = (row: JobRow, leaseEnd: StoreTime?)

  /// Returns the held rows that the claim wants. Removed ones whose runs are abandoned are deleted.
  /// Twin: `timers.take_2`.
  private func heldJobs(on tables: inout some StoreTables, now: StoreTime) throws -> [HeldJob] {
    var found: [HeldJob] = []
    for row in try tables.heldJobs() where row.holder?.session != session {
      let leaseEnd = try judge(row.holder?.session, on: &tables, now: now)
      if row.isRemoved {
        guard leaseEnd == nil else { continue }
        try abandon(row, on: &tables, now: now)
        try tables.removeJob(row.job.name)
      } else if try !row.job.isPaused && !except.contains(row.job.name)
        && !exceptHandlers.contains(row.job.handler) && tables.sessions(serving: row)[session] != nil
      {
        found.append((row, leaseEnd))
      }
    }
    return found
  }

  /// Ends a session that holds rows beyond its lease, and cuts a lease that reaches too far, as the clock was set back.
  /// Twin: `timers.judge_2`.
  private func judge(_ id: UUID?, on tables: inout some StoreTables, now: StoreTime) throws -> StoreTime? {
    guard let id, var row = try tables.session(id) else { return nil }
    let (isOver, end) = (row.isOver || row.leaseEnd <= now, min(row.leaseEnd, now + row.lease))
    if isOver != row.isOver || end != row.leaseEnd {
      (row.isOver, row.leaseEnd) = (isOver, end)
      try tables.save(row, id)
    }
    return isOver ? nil : end
  }

  /// Returns the rows to take, in the order in which they are due: of each handler as many as it has room for. If that
  /// is too many, each handler has the same share, and so have the program's own jobs as one.
  /// Twin: `timers.take_2`.
  package func first(of rows: [JobRow]) -> [JobRow] {
    var counts: [String: Int] = [:]
    let placed = rows.sorted { $0.isDueBefore($1) }.map { row in
      counts[row.job.handler, default: 0] += 1
      return (row: row, place: counts[row.job.handler, default: 0])
    }
    let shared = placed.filter { $0.place <= rooms[$0.row.job.handler] ?? .max }
      .sorted { $0.place == $1.place ? $0.row.isDueBefore($1.row) : $0.place < $1.place }
    return shared.prefix(max(0, limit)).map(\.row).sorted { $0.isDueBefore($1) }
  }

  private func abandon(_ row: JobRow, on tables: inout some StoreTables, now: StoreTime) throws {
    guard let token = row.holder?.token else { return }
    try tables.update(token) { ($0.record.outcome, $0.record.endedTime) = (.abandoned, now) }
  }

  private func take(
    _ row: inout JobRow, as own: SessionRow, on tables: inout some StoreTables, now: StoreTime
  ) throws -> ClaimedRun {
    try abandon(row, on: &tables, now: now)
    let (name, token) = (row.job.name, try tables.nextToken())
    let run = try row.take(token, by: self, replica: own.replica, now: now) {
      try tables.firstDate(of: name, from: $0)
    }
    try tables.save(row)
    var record = ClusterRunRecord(
      token: run.token, job: run.job, attempt: run.attempt, missedCount: 0, replica: own.replica,
      isAsked: run.asked != nil, scheduledTime: row.holder?.date, beganTime: now, from: run.from,
      through: run.until, schedule: run.schedule)
    if run.attempt == 1 { record.skipped = row.skipped }
    try tables.save(RunRow(record: record))
    return run
  }

  /// Says when to claim next, and which handlers no replica has.
  /// Twin: `timers.outlook_2`.
  private func look(
    at held: [HeldJob], on tables: some StoreTables, into answer: inout ClaimAnswer
  ) throws {
    let taken = Set(answer.runs.map(\.job))
    let moments = held.filter { !taken.contains($0.row.job.name) }.map { $0.leaseEnd ?? answer.now }
    let free = try tables.freeJobs(for: self, until: nil, limit: 1).compactMap(\.job.nextTime)
    answer.next = (free + moments).min()
    answer.unhandled = try tables.dueHandlers(until: answer.now).filter {
      try !exceptHandlers.contains($0)
        && !tables.sessions(handling: $0).values.contains { $0.isLive(answer.now) }
    }.sorted()
  }

  /// Says which jobs of the program have other schedules, have names of jobs that were put, or have no row.
  /// Twin: `timers.outlook_2`.
  private func lookAtNames(on tables: some StoreTables, into answer: inout ClaimAnswer) throws {
    answer.missing = try tables.missingJobs(for: session).sorted()
    for row in try tables.changedJobs(for: session).sorted(by: { $0.job.name < $1.job.name }) {
      if !row.job.handler.isEmpty {
        answer.put.append(row.job.name)
        continue
      }
      let isServed = try tables.sessions(serving: row).values.contains { $0.isLive(answer.now) }
      if isServed { answer.others.append(row.job.name) } else { answer.unserved.append(row.job.name) }
    }
  }
}

extension JobRow {
  func isDueBefore(_ other: JobRow) -> Bool {
    (job.nextTime ?? .zero, job.name) < (other.job.nextTime ?? .zero, other.job.name)
  }
}
