extension SessionRegistration {
  package var query: RowQuery { RowQuery(jobs: Set(declares), sessions: [session], isAhead: true) }

  package func perform(on rows: inout RowSet) throws -> SessionAnswer {
    let (now, lease) = (rows.now, Duration.microseconds(lease))
    var row = try rows.session(session) ?? SessionRow(replica: replica, lease: lease, leaseEnd: now)
    guard !row.isOver else { return SessionAnswer(now: now, isOver: true) }
    (row.leaseEnd, row.lease) = (now + lease, lease)
    // Nothing refers to an old session, but a replica that was stopped for a day.
    rows.removeSessions(endedBefore: now - .seconds(86_400))
    rows.save(row, session)
    rows.setServed(serves, handlers: handlers, by: session)
    for name in declares {
      guard let schedule = serves[name] else { continue }
      guard var row = try rows.job(name) else {
        rows.save(try JobRow(name: name, schedule: schedule, in: rows))
        continue
      }
      // A job that was put keeps its name.
      if !row.isRemoved, row.job.schedule == schedule || !row.job.handler.isEmpty {
        rows.require(row)
        continue
      }
      if resumes.contains(name), !row.isRemoved {
        row.resume(schedule, now: now)
      } else {
        row.setSchedule(schedule, now: now)
        if row.isRemoved { row.restore() }
      }
      (row.job.handler, row.job.payload, row.job.key, row.options) = ("", "", nil, nil)
      rows.save(row)
    }
    // A clock that was ahead has accounted for moments that are still to come. These jobs begin at now.
    for var row in try rows.jobsAhead() {
      row.job.nextTime = min(row.job.nextTime ?? now, now)
      rows.save(row)
    }
    return SessionAnswer(now: now, isOver: false)
  }
}

extension SessionRenewal {
  package var query: RowQuery { RowQuery(sessions: [session], holders: [session]) }

  package func perform(on rows: inout RowSet) throws -> RenewalAnswer {
    let now = rows.now
    guard var row = try rows.session(session), !row.isOver else {
      return RenewalAnswer(now: now, isOver: true, tokens: [])
    }
    (row.leaseEnd, row.lease) = (now + .microseconds(lease), .microseconds(lease))
    rows.save(row, session)
    let givenUp = Set(givesUp)
    var answer = RenewalAnswer(now: now, isOver: false, tokens: [])
    for var row in try rows.jobs(heldBy: session) {
      guard let holder = row.holder else { continue }
      if givenUp.contains(holder.token) {
        row.holder?.session = nil
        rows.save(row)
      } else {
        answer.tokens.append(holder.token)
        if let by = row.cancelledBy { answer.cancelled.append(.init(token: holder.token, by: by)) }
      }
    }
    return answer
  }
}

extension SessionClosing {
  package var query: RowQuery { RowQuery(sessions: [session]) }

  package func perform(on rows: inout RowSet) throws -> Answer {
    if var row = try rows.session(session) {
      row.isOver = true
      rows.save(row, session)
    }
    return Answer()
  }
}
