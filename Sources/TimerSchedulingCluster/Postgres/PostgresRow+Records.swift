/// The answer of the function `timers.claim_1`.
struct PostgresVerdict {
  var name: String
  var date: Int64?
  var token: Int64?
  var attempt: Int64?
  var missedCount: Int64?
  var until: Int64?
  var now: StoreTime

  init(_ row: inout PostgresRow) throws {
    name = try row.string()
    date = try row.optionalNumber()
    token = try row.optionalNumber()
    attempt = try row.optionalNumber()
    missedCount = try row.optionalNumber()
    until = try row.optionalNumber()
    now = try row.time()
  }

  func verdict(for job: String) throws -> ClaimVerdict {
    let time = date.map { StoreTime(microseconds: $0) }
    switch name {
    case "early": return .early
    case "paused": return .paused
    case "contended": return .contended
    case "unknown": throw ClusterError.unknownJob(job)
    case "moved":
      if let time { return .moved(cursor: time) }
    case "busy":
      if let time, let until { return .busy(cursor: time, until: StoreTime(microseconds: until)) }
    case "claimed":
      if let time, let token, let attempt, let missedCount {
        return .claimed(
          ClaimVerdict.Claim(date: time, token: token, attempt: Int(attempt), missedCount: Int(missedCount)))
      }
    default: break
    }
    throw UnexpectedAnswer("\(self)")
  }
}

extension ClusterJob {
  init(_ row: inout PostgresRow) throws {
    self.init(name: try row.string(), lastDate: try row.time())
    nextDate = try row.optionalTime()
    isPaused = try row.bool()
    doneCount = try row.count()
    failedCount = try row.count()
    abandonedCount = try row.count()
    missedCount = try row.count()
    guard let token = try row.optionalNumber() else { return }
    run = Run(
      replica: try row.string(), scheduledDate: try row.time(), token: token, attempt: try row.count(),
      began: try row.time(), leaseLeft: .microseconds(try row.number()))
  }
}

extension ClusterRunRecord {
  init(_ row: inout PostgresRow) throws {
    let (token, job, date, attempt) = (try row.number(), try row.string(), try row.time(), try row.count())
    self.init(
      token: token, job: job, scheduledDate: date, attempt: attempt, missedCount: try row.count(),
      replica: try row.string(), began: try row.time())
    ended = try row.optionalTime()
    let outcome = try row.string()
    guard let outcome = Outcome(rawValue: outcome) else { throw UnexpectedAnswer(outcome) }
    self.outcome = outcome
    failure = try row.text()
  }
}
