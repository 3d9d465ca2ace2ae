#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// What a store in memory holds.
package struct MemoryTables {
  package struct Session {
    package var replica: String
    package var lease: Duration
    package var leaseEnd: StoreTime
    package var serves: [String: String]
    package var number: Int64 = 0
    package var isOver = false

    package init(replica: String, lease: Duration, leaseEnd: StoreTime, serves: [String: String]) {
      (self.replica, self.lease, self.leaseEnd, self.serves) = (replica, lease, leaseEnd, serves)
    }
  }

  package var now: (@Sendable () -> Date)?
  package var rows: [String: JobRow] = [:]
  package var sessions: [UUID: Session] = [:]
  /// The names of the rows that are held, by token.
  package var held: [Int64: String] = [:]
  /// The newest runs, by token. Those that ran no action are hidden from operators.
  private var history: [(record: ClusterRunRecord, isHidden: Bool)] = []
  private var lastToken: Int64 = 0

  package init() {}

  var time: StoreTime { StoreTime(now?() ?? Date()) }

  // MARK: Sessions

  package mutating func register(_ registration: SessionRegistration) -> SessionAnswer {
    let (now, lease) = (time, Duration.microseconds(registration.lease))
    var session =
      sessions[registration.session]
      ?? Session(replica: registration.replica, lease: lease, leaseEnd: now, serves: [:])
    guard !session.isOver else { return SessionAnswer(now: now, isOver: true) }
    session.leaseEnd = now + lease
    session.serves = registration.serves
    // Nothing refers to an old session, but a replica that was stopped for a day.
    sessions = sessions.filter { $0.value.leaseEnd > now - .seconds(86_400) }
    sessions[registration.session] = session
    for name in registration.declares {
      guard let schedule = registration.serves[name] else { continue }
      rows[name, default: JobRow(name: name, schedule: schedule, now: now)].setSchedule(schedule, now: now)
    }
    return SessionAnswer(now: now, isOver: false)
  }

  mutating func renew(_ id: UUID, lease: Duration, givenUp: Set<Int64>) -> RenewalAnswer {
    let now = time
    guard let session = sessions[id], !session.isOver else {
      return RenewalAnswer(now: now, isOver: true, tokens: [])
    }
    sessions[id]?.leaseEnd = now + lease
    var tokens: [Int64] = []
    for (name, row) in rows {
      guard let holder = row.holder, holder.session == id else { continue }
      if givenUp.contains(holder.token) {
        rows[name]?.holder?.session = nil
      } else {
        tokens.append(holder.token)
      }
    }
    return RenewalAnswer(now: now, isOver: false, tokens: tokens)
  }

  private func isOver(_ holder: JobRow.Holder) -> Bool {
    holder.session.flatMap { sessions[$0] }?.isOver ?? true
  }

  private func isLive(_ session: Session, now: StoreTime) -> Bool {
    !session.isOver && session.leaseEnd > now
  }

  /// Ends the sessions that hold rows beyond their leases, and cuts leases that reach too far, as the clock was set
  /// back.
  private mutating func judgeHolders(except own: UUID, now: StoreTime) {
    for row in rows.values {
      guard let id = row.holder?.session, id != own, let session = sessions[id] else { continue }
      if session.leaseEnd <= now { sessions[id]?.isOver = true }
      sessions[id]?.leaseEnd = min(session.leaseEnd, now + session.lease)
    }
  }

  // MARK: Claims and ends

  package mutating func claim(_ request: ClaimRequest) -> ClaimAnswer {
    let (now, lease) = (time, Duration.microseconds(request.lease))
    var answer = ClaimAnswer(now: now)
    guard var session = sessions[request.session], !session.isOver else {
      answer.isOver = true
      return answer
    }
    session.leaseEnd = now + lease
    sessions[request.session] = session
    if request.number <= session.number {
      answer.isOld = true
      if request.number == session.number {
        let repeated = rows.values.filter {
          $0.holder?.session == request.session && $0.holder?.number == request.number
        }
        answer.runs = repeated.compactMap(\.claimed).sorted { $0.token < $1.token }
      }
      return answer
    }
    judgeHolders(except: request.session, now: now)
    let taken = wanted(by: request, of: session).filter { isFree($0, now: now) }
    for row in taken.sorted(by: isDueBefore).prefix(max(0, request.limit)) {
      answer.runs.append(take(row, by: request, of: session, now: now))
    }
    if request.isRepeated || !answer.runs.isEmpty { sessions[request.session]?.number = request.number }
    answer.next = wanted(by: request, of: session).compactMap { claimable($0, by: request.session, now: now) }
      .min()
    let changed = session.serves.filter { name, schedule in (rows[name]?.job.schedule ?? schedule) != schedule
    }
    for name in changed.keys.sorted() {
      let isServed = sessions.values.contains {
        isLive($0, now: now) && $0.serves[name] == rows[name]?.job.schedule
      }
      if isServed { answer.others.append(name) } else { answer.unserved.append(name) }
    }
    return answer
  }

  /// The rows that a session's replica has the schedules of.
  private func wanted(by request: ClaimRequest, of session: Session) -> [JobRow] {
    let except = Set(request.except)
    return session.serves.compactMap { name, schedule in
      guard let row = rows[name], row.job.schedule == schedule, !row.job.isPaused, !except.contains(name)
      else {
        return nil
      }
      return row
    }
  }

  private func isFree(_ row: JobRow, now: StoreTime) -> Bool {
    if let holder = row.holder { return isOver(holder) }
    return row.job.nextDate.map { $0 <= now } ?? false
  }

  private func isDueBefore(_ first: JobRow, _ second: JobRow) -> Bool {
    guard let left = first.job.nextDate, let right = second.job.nextDate, left != right else {
      return first.job.name < second.job.name
    }
    return left < right
  }

  /// The moment from which a row can be claimed, as far as the store knows.
  private func claimable(_ row: JobRow, by id: UUID, now: StoreTime) -> StoreTime? {
    guard let holder = row.holder else { return row.job.nextDate }
    if holder.session == id { return nil }
    return isOver(holder) ? now : holder.session.flatMap { sessions[$0] }?.leaseEnd
  }

  private mutating func take(
    _ row: JobRow, by request: ClaimRequest, of session: Session, now: StoreTime
  ) -> ClaimedRun {
    lastToken += 1
    if let token = row.holder?.token {
      held[token] = nil
      update(token) { ($0.record.outcome, $0.record.ended) = (.abandoned, now) }
    }
    var row = row
    let run = row.take(lastToken, by: request, replica: session.replica, now: now)
    (rows[run.job], held[run.token]) = (row, run.job)
    if history.count >= 100_000 { history.removeFirst(10_000) }
    let record = ClusterRunRecord(
      token: run.token, job: run.job, scheduledDate: row.holder?.date, attempt: run.attempt, missedCount: 0,
      replica: session.replica, began: now)
    history.append((record, false))
    return run
  }

  package mutating func end(_ end: RunEnd, now: StoreTime) -> EndAnswer.Verdict {
    guard let name = held.removeValue(forKey: end.token) else {
      let entry = history.last { $0.record.token == end.token }
      let hasEnded = entry.map { $0.isHidden || [.done, .failed].contains($0.record.outcome) } ?? false
      return hasEnded ? .before : .refused
    }
    rows[name]?.end(end, now: now)
    update(end.token) { entry in
      entry.isHidden = end.outcome == .settled || end.outcome == .released
      entry.record.outcome = end.outcome == .done ? .done : .failed
      (entry.record.ended, entry.record.failure, entry.record.missedCount) = (now, end.failure, end.missed)
      if let date = end.date { entry.record.scheduledDate = date }
    }
    return .written
  }

  // MARK: Operators

  /// Changes the record of a run if the history still has it. Tokens grow, so the newest runs are at the end.
  private mutating func update(
    _ token: Int64, _ change: (inout (record: ClusterRunRecord, isHidden: Bool)) -> Void
  ) {
    guard let index = history.lastIndex(where: { $0.record.token == token }) else { return }
    change(&history[index])
  }

  /// Returns the newest runs, newest first.
  func history(of job: String?, limit: Int) -> [ClusterRunRecord] {
    let shown = history.reversed().lazy.filter { !$0.isHidden && (job == nil || $0.record.job == job) }
    return shown.prefix(limit).map(\.record)
  }

  /// Returns a job as an operator sees it.
  func job(of row: JobRow) -> ClusterJob {
    var job = row.job
    job.run = row.holder.map { holder in
      let leaseEnd = holder.session.flatMap { sessions[$0] }.map { $0.isOver ? time : $0.leaseEnd } ?? time
      return ClusterJob.Run(
        replica: holder.replica, scheduledDate: holder.date, token: holder.token, attempt: row.attempt,
        began: holder.began, leaseLeft: leaseEnd - time)
    }
    return job
  }

  mutating func removeHistory(before time: StoreTime) -> Int {
    let count = history.count
    history.removeAll { $0.record.began < time && $0.record.outcome != .running }
    return count - history.count
  }
}
