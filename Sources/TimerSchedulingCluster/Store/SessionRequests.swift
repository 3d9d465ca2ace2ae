package import TimerSchedulingFoundation

/// A request to register a replica's session, with its jobs and handlers. A replica that was cut off has a
/// new session.
package struct SessionRegistration: RowCall, Hashable, Codable {
  package static let name = "register"

  package var session: UUID
  package var replica: String
  /// The time until the session is over if it isn't renewed, in microseconds.
  package var lease: Int64
  /// The names of the replica's jobs, with the texts of their schedules.
  package var serves: [String: String]
  /// The names of those whose schedules are to be the store's.
  package var declares: [String]
  /// The names of those that the replica has had all along, while another version had declared its own
  /// schedule and is gone. They owe the dates since then.
  package var resumes: [String]
  package var handlers: [String]

  package init(
    session: UUID, replica: String, lease: Int64, serves: [String: String], declares: [String],
    resumes: [String] = [], handlers: [String] = []
  ) {
    (self.session, self.replica, self.lease) = (session, replica, lease)
    (self.serves, self.declares, self.resumes, self.handlers) = (serves, declares, resumes, handlers)
  }

  package var query: RowQuery {
    var query = RowQuery(jobs: Set(declares), sessions: [session])
    query.isAhead = true
    return query
  }

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

package struct SessionAnswer: Sendable, Hashable, Codable {
  package var now: StoreTime
  /// Whether the session is over. Then nothing was registered.
  package var isOver: Bool
  /// The declared jobs whose rows another transaction has locked. They keep their schedules.
  package var locked: [String] = []
}

/// A request to renew the lease of a session, unless it is over.
package struct SessionRenewal: RowCall, Hashable {
  package static let name = "renew"

  package var session: UUID
  package var lease: Int64
  /// Tokens of rows that the session gives up first, as if it were over.
  package var givesUp: [Int64]

  package init(session: UUID, lease: Int64, givesUp: [Int64]) {
    (self.session, self.lease, self.givesUp) = (session, lease, givesUp)
  }

  package var query: RowQuery {
    var query = RowQuery(sessions: [session])
    query.holders = [session]
    return query
  }

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

/// A request to end a session. Others may take the rows that it holds.
package struct SessionClosing: RowCall, Hashable {
  package struct Answer: Sendable, Codable {
    package init() {}
  }
  package static let name = "close"

  package var session: UUID

  package init(session: UUID) { self.session = session }

  package var query: RowQuery { RowQuery(sessions: [session]) }

  package func perform(on rows: inout RowSet) throws -> Answer {
    if var row = try rows.session(session) {
      row.isOver = true
      rows.save(row, session)
    }
    return Answer()
  }
}

package struct RenewalAnswer: Sendable, Hashable, Codable {
  package var now: StoreTime
  package var isOver: Bool
  /// The tokens of the rows that the session holds, and the runs among them that an operator has cancelled.
  package var tokens: [Int64]
  package var cancelled: [CancelledRun] = []

  package struct CancelledRun: Sendable, Hashable, Codable {
    package var token: Int64
    package var by: String
  }
}
