/// The rules of sessions and their leases.
extension SessionRegistration {
  package func perform(on tables: inout some StoreTables) throws -> SessionAnswer {
    let (now, lease) = (try tables.now, Duration.microseconds(lease))
    var row = try tables.session(session) ?? SessionRow(replica: replica, lease: lease, leaseEnd: now)
    guard !row.isOver else { return SessionAnswer(now: now, isOver: true) }
    (row.leaseEnd, row.lease) = (now + lease, lease)
    // Nothing refers to an old session, but a replica that was stopped for a day.
    try tables.removeSessions(endedBefore: now - .seconds(86_400))
    try tables.save(row, session)
    try tables.setServed(serves, handlers: handlers, by: session)
    for name in declares {
      guard let schedule = serves[name] else { continue }
      guard var row = try tables.job(name) else {
        try tables.save(try JobRow(name: name, schedule: schedule, now: now, in: tables))
        continue
      }
      // A job that was put keeps its name.
      if !row.isRemoved, row.job.schedule == schedule || !row.job.handler.isEmpty { continue }
      row.setSchedule(schedule, now: now)
      if row.isRemoved { row.restore() }
      (row.job.handler, row.job.payload) = ("", "")
      try tables.save(row)
    }
    // A clock that was ahead has accounted for moments that are still to come. These jobs begin at now.
    for var row in try tables.jobs(accountedBeyond: now + JobRow.clockStep) {
      row.job.nextTime = min(row.job.nextTime ?? now, now)
      try tables.save(row)
    }
    return SessionAnswer(now: now, isOver: false)
  }
}

extension JobRow {
  /// The row of a job that is new, and owes dates from now on, or since an only date that has passed. A job of that name
  /// may have been removed, and the clock may have been set back since.
  init(
    name: String, schedule: String, now: StoreTime, since date: StoreTime? = nil, in tables: some StoreTables
  ) throws {
    self.init(name: name, schedule: schedule, now: now)
    // Records of later dates are of a clock that was ahead.
    let last = try tables.lastDate(of: name, through: now + Self.clockStep)?.next ?? .zero
    from = max(date.map { min($0, now) } ?? from, last)
    if let date {
      job.nextTime = max(date, from)
    } else if try tables.firstDate(of: name, from: now + Self.clockStep) != nil {
      ahead = try tables.lastDate(of: name, through: .distantFuture)?.next
    }
  }
}

extension SessionRenewal {
  package func perform(on tables: inout some StoreTables) throws -> RenewalAnswer {
    let now = try tables.now
    guard var row = try tables.session(session), !row.isOver else {
      return RenewalAnswer(now: now, isOver: true, tokens: [])
    }
    (row.leaseEnd, row.lease) = (now + .microseconds(lease), .microseconds(lease))
    try tables.save(row, session)
    let givenUp = Set(givesUp)
    var answer = RenewalAnswer(now: now, isOver: false, tokens: [])
    for var row in try tables.heldJobs() {
      guard let holder = row.holder, holder.session == session else { continue }
      if givenUp.contains(holder.token) {
        row.holder?.session = nil
        try tables.save(row)
      } else {
        answer.tokens.append(holder.token)
        if let by = row.cancelledBy { answer.cancelled.append(.init(token: holder.token, by: by)) }
      }
    }
    return answer
  }
}

extension SessionClosing {
  package func perform(on tables: inout some StoreTables) throws -> Answer {
    if var row = try tables.session(session) {
      row.isOver = true
      try tables.save(row, session)
    }
    return Answer()
  }
}
