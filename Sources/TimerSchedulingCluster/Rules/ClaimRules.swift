import TimerSchedulingFoundation

/// The rules of a claim.
extension ClaimRequest {
  package var query: RowQuery { RowQuery(holders: isRepeated ? [session] : [], claim: self) }

  /// Twin: `timers.claim_2`.
  package func perform(on rows: inout RowSet) throws -> ClaimAnswer {
    let (now, lease) = (rows.now, Duration.microseconds(lease))
    var answer = ClaimAnswer(now: now)
    guard var own = try rows.session(session), !own.isOver else {
      answer.isOver = true
      return answer
    }
    let hasLease = own.leaseEnd >= now + lease / 2 && own.leaseEnd <= now + lease
    own.leaseEnd = now + lease
    if number <= own.number {
      rows.save(own, session)
      answer.isOld = true
      let held = try number < own.number ? [] : rows.jobs(heldBy: session)
      let repeated = held.filter { $0.holder?.number == number }
      answer.runs = repeated.compactMap(\.claimed).sorted { $0.token < $1.token }
      return answer
    }
    let (pauses, found) = (try rows.allPauses(), try rows.claimedRows())
    // A pause that ended while the clock was ahead ends now.
    for pause in pauses where rows.readPauses?.contains(pause) == false { rows.save(pause) }
    let wanted = unpaused(pauses)
    for id in found.sessions { _ = try judge(id, on: &rows) }
    let held = try oneSuspect(of: judge(rows.rows(of: found.held), on: &rows), in: rows)
    let taken = wanted.first(
      of: rows.rows(of: found.free) + held.filter { $0.leaseEnd == nil }.map(\.row), found.turns)
    try turn(by: taken, in: found, of: &rows)
    for var row in taken {
      row.giveUpOutdated(now: now)
      let bound = row.leaveOut(pauses)
      answer.runs.append(try take(&row, until: bound, as: own, on: &rows))
    }
    // A claim that was sent once and brings nothing isn't numbered, and writes only if half of the lease is
    // over.
    let isNumbered = isRepeated || !taken.isEmpty
    if isNumbered { own.number = number }
    if isNumbered || !hasLease { rows.save(own, session) }
    if !pauses.contains(where: \.isOfCluster) { try look(at: held, in: found, of: rows, into: &answer) }
    try lookAtNames(in: found, of: rows, into: &answer)
    return answer
  }

  /// The claim without what is paused.
  func unpaused(_ pauses: [ClusterPause]) -> ClaimRequest {
    var claim = self
    claim.exceptHandlers += pauses.compactMap { $0.ended == nil ? $0.handler : nil }
    if pauses.contains(where: \.isOfCluster) { claim.limit = 0 }
    return claim
  }

  /// A row that another session has taken, and the end of its lease. Nil if others may take it.
  private typealias HeldJob = (row: JobRow, leaseEnd: StoreTime?)

  /// Judges the sessions of rows that others hold. Removed ones whose runs are abandoned are deleted.
  /// Twin: `timers.take_2`.
  private func judge(_ held: [JobRow], on rows: inout RowSet) throws -> [HeldJob] {
    var found: [HeldJob] = []
    for row in held {
      let leaseEnd = try judge(row.holder?.session, on: &rows)
      if !row.isRemoved {
        found.append((row, leaseEnd))
      } else if leaseEnd == nil {
        try abandon(row, on: &rows)
        rows.removeJob(row.job.name)
      }
    }
    return found
  }

  /// Leaves out the rows of suspects but one, or all while the session runs one. So a job that ends its
  /// process takes no other's last attempts with it.
  /// Twins: `timers.suspect_2`, `timers.runs_suspect_2`.
  private func oneSuspect(of held: [HeldJob], in rows: RowSet) throws -> [HeldJob] {
    let suspects = held.filter { $0.leaseEnd == nil && $0.row.isSuspect }.map(\.row)
    if suspects.isEmpty { return held }
    let runsOne = try rows.jobs(heldBy: session).contains(where: \.runsSuspect)
    let one = runsOne ? nil : suspects.min { $0.isDueBefore($1) }
    return held.filter { $0.leaseEnd != nil || !$0.row.isSuspect || $0.row.job.name == one?.job.name }
  }

  /// Ends a session that holds rows beyond its lease, and cuts a lease that reaches too far, as the clock was
  /// set back.
  /// Twin: `timers.judge_2`.
  private func judge(_ id: UUID?, on rows: inout RowSet) throws -> StoreTime? {
    guard let id, var row = try rows.session(id) else { return nil }
    row.judge(rows.now)
    rows.save(row, id)
    return row.isOver ? nil : row.leaseEnd
  }

  /// Returns the rows to take, in the order in which they are due: of each handler as many as it has room
  /// for. If that is too many, each handler has the same share, and so have the program's own jobs as one.
  /// Twin: `timers.take_2`.
  package func first(of rows: [JobRow], _ turns: [String: HandlerTurn] = [:]) -> [JobRow] {
    let placed = Dictionary(grouping: rows, by: \.job.handler).flatMap { handler, rows in
      let ordered =
        if let limits = limits[handler] {
          turns[handler, default: HandlerTurn()].order(rows, within: limits)
        } else {
          rows.sorted { $0.isDueBefore($1) }
        }
      return ordered.prefix(rooms[handler] ?? .max).enumerated().map { (row: $1, place: $0) }
    }
    let shared = placed.sorted { $0.place == $1.place ? $0.row.isDueBefore($1.row) : $0.place < $1.place }
    return shared.prefix(max(0, limit)).map(\.row).sorted { $0.isDueBefore($1) }
  }

  /// Notes the keys that have had their turns.
  private func turn(by taken: [JobRow], in found: RowSet.Claimed, of rows: inout RowSet) throws {
    for (handler, own) in Dictionary(grouping: taken, by: \.job.handler) where limits[handler] != nil {
      guard let turn = found.turns[handler] else { throw RowQuery.Unread.notAsked }
      var row = rows.turns[handler]?.row ?? TurnRow()
      (row.key, row.claims) = (turn.last(after: own), row.claims + 1)
      rows.turns[handler, default: .init(nil)].row = row
    }
  }

  private func abandon(_ row: JobRow, on rows: inout RowSet) throws {
    guard let token = row.holder?.token else { return }
    let now = rows.now
    try rows.update(token) { ($0.record.outcome, $0.record.endedTime) = (.abandoned, now) }
  }

  private func take(
    _ row: inout JobRow, until bound: StoreTime?, as own: SessionRow, on rows: inout RowSet
  ) throws -> ClaimedRun {
    try abandon(row, on: &rows)
    let (name, token) = (row.job.name, try rows.nextToken())
    let run = try row.take(token, by: self, replica: own.replica, now: rows.now, until: bound) {
      try rows.firstDate(of: name, from: $0)
    }
    rows.save(row)
    var record = ClusterRunRecord(
      token: run.token, job: run.job, attempt: run.attempt, missedCount: 0, replica: own.replica,
      isAsked: run.asked != nil, scheduledTime: row.holder?.date, beganTime: rows.now, from: run.from,
      through: run.until, schedule: run.schedule)
    if run.attempt == 1 { record.skipped = row.skipped }
    rows.save(RunRow(record: record))
    return run
  }

  /// Says when to claim next, and which handlers no replica has.
  /// Twin: `timers.outlook_2`.
  private func look(
    at held: [HeldJob], in found: RowSet.Claimed, of rows: RowSet, into answer: inout ClaimAnswer
  ) throws {
    let taken = Set(answer.runs.map(\.job))
    // A job that limits hold back waits for the end of a run.
    func isWaiting(_ row: JobRow) -> Bool {
      !taken.contains(row.job.name) && limits[row.job.handler] == nil
    }
    let free = rows.rows(of: found.free).filter(isWaiting).compactMap(\.job.nextTime)
    let moments = held.filter { isWaiting($0.row) }.map { $0.leaseEnd ?? answer.now }
    answer.next = (free + moments + [found.next].compactMap(\.self)).min()
    answer.unhandled = try found.dueHandlers.filter { try !rows.isHandled($0) }.sorted()
  }

  /// Says which jobs of the program have other schedules, have names of jobs that were put, or have no row.
  /// Twin: `timers.outlook_2`.
  private func lookAtNames(
    in found: RowSet.Claimed, of rows: RowSet, into answer: inout ClaimAnswer
  ) throws {
    answer.missing = found.missing.sorted()
    for row in rows.rows(of: found.changed.sorted()) {
      if !row.job.handler.isEmpty {
        answer.put.append(row.job.name)
      } else if try rows.isServed(row, by: row.job.schedule) {
        answer.others.append(row.job.name)
      } else {
        answer.unserved.append(row.job.name)
      }
    }
  }
}

extension JobRow {
  /// Whether a claim may take it at a moment: no run holds it, it isn't paused, and it is due.
  func isFree(at now: StoreTime) -> Bool {
    holder == nil && !job.isPaused && job.nextTime.map { $0 <= now } ?? false
  }

  func isDueBefore(_ other: JobRow) -> Bool {
    (job.nextTime ?? .zero, job.name) < (other.job.nextTime ?? .zero, other.job.name)
  }
}
