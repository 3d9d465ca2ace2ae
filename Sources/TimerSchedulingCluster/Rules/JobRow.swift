package import TimerSchedulingFoundation

/// The row of a job. It does what the functions of `PostgresSchema` do, and `Tests/Models/cluster.pml`. A
/// twin is the function in SQL by the same rule, which is changed with it.
///
/// In a file it is JSON, as are the other rows. Older rows lack a field that is added, and older programs
/// drop it when they save a row. So a new field is optional, and if it mustn't be dropped, the file refuses
/// older programs: see `version` of ``SQLiteTables``.
package struct JobRow: Sendable, Hashable, Codable {
  /// The claim that holds the row. Its session is nil once it has given the row up.
  package struct Holder: Sendable, Hashable, Codable {
    package var token: Int64
    package var session: UUID?
    package var number: Int64
    package var began: StoreTime
    package var replica: String
    package var date: StoreTime?
    /// The key of the job when it was claimed.
    package var key: String?

    package init(token: Int64, session: UUID?, number: Int64, began: StoreTime, replica: String) {
      (self.token, self.session, self.number) = (token, session, number)
      (self.began, self.replica) = (began, replica)
    }
  }

  /// The data for operators, except the run. Its next date is the moment from which the row can be claimed.
  package var job: ClusterJob
  /// Dates up to it aren't run.
  package var floor = StoreTime.zero
  /// The first moment that isn't accounted for.
  package var from: StoreTime
  /// The last moment of the range of the run, or of the run that is to be repeated.
  package var until: StoreTime?
  package var attempt = 0
  /// Whether an attempt of the range was abandoned.
  package var isLost = false
  /// Who has cancelled the run of the range, which is begun no more.
  package var cancelledBy: String?
  package var asked: [AskedRange] = []
  /// The reasons for which dates before the range were left out, and for which later ones will be. No rule
  /// reads them.
  package var skipped: [SkippedDates] = []
  /// The job's own pause. Once it has ended, it stays while the job owes dates from before it.
  package var pause: ClusterPause?
  package var rangeSchedule: String?
  /// The handler and the payload of the range's claim, if the job was put with others since.
  package var rangeHandler, rangePayload: String?
  package var holder: Holder?
  /// The end of the range's last attempt, which has failed, if no other attempt follows.
  package var failedEnd: RunEnd?
  /// The number of times that the range's date was postponed.
  package var postponed: Int?
  package var options: JobOptions?
  /// The results of the steps of the range's action, as JSON, by their names.
  package var steps: [String: String]?
  /// Whether the row goes with its run.
  package var isRemoved = false
  /// The end of what was accounted for before: by a clock that was ahead, or until an earlier date was put.
  /// Dates up to it that have records are left out.
  package var ahead: StoreTime?

  package init(name: String, schedule: String, now: StoreTime) {
    job = ClusterJob(name: name, schedule: schedule)
    job.nextTime = now
    from = now.next
  }

  /// Whether the job was put with another schedule or handler since the range was claimed. Then no other
  /// attempt follows. What operators have asked for goes on with another schedule.
  /// Twin: `timers.is_outdated_2`.
  var isOutdated: Bool {
    !job.handler.isEmpty && until != nil
      && (rangeHandler != nil || asked.isEmpty && rangeSchedule != job.schedule)
  }

  /// Gives up an outdated range. A run of it that was abandoned counts as such. The job's next date isn't
  /// known.
  /// Twin: `timers.give_up_outdated_2`.
  mutating func giveUpOutdated(now: StoreTime) {
    guard isOutdated, let until else { return }
    job.failedCount += isLost || holder != nil ? 0 : 1
    from = until.next
    closeRange()
    let first = firstUnknown(now)
    job.nextTime = min(job.nextTime ?? first, first)
  }

  /// Closes the range, up to which the job's moments are accounted for. Returns whether the job owes some of
  /// them again.
  @discardableResult
  private mutating func closeRange() -> Bool {
    (until, rangeSchedule, attempt, isLost, cancelledBy, failedEnd) = (nil, nil, 0, false, nil, nil)
    (rangeHandler, rangePayload, postponed, steps) = (nil, nil, nil, nil)
    let start = start(afterRange: from)
    guard start < from else { return false }
    (ahead, from) = (max(ahead ?? from, from), start)
    return true
  }

  /// Returns the first moment that isn't accounted for after a range that ends before `end`. If the job was
  /// changed during the range, after the clock had gone back, its dates since that change are still owed.
  /// Twin: `timers.after_range_2`.
  func start(afterRange end: StoreTime) -> StoreTime { floor > .zero ? min(end, floor.next) : end }

  /// Whether an attempt that was abandoned, not the first, may have ended its process. Then the next one
  /// begins apart from others of its kind.
  var isSuspect: Bool { attempt > 1 }

  /// Whether the run that holds it is such a next attempt.
  var runsSuspect: Bool { isLost && attempt > 2 }

  /// Whether the range waits for another attempt.
  var isWaiting: Bool { holder == nil && until != nil }

  /// By how much the clock is ahead, at least, when it counts as one that was set back since.
  static let clockStep = Duration.seconds(1)

  /// Takes the row, which has no outdated range, for a claim. The first claim of a range fixes it.
  /// Twin: `timers.take_2`.
  mutating func take(
    _ token: Int64, by request: ClaimRequest, replica: String, now: StoreTime, until bound: StoreTime? = nil,
    firstRecord: (StoreTime) throws -> StoreTime?
  ) throws -> ClaimedRun {
    let abandoned = holder
    if abandoned != nil { (job.abandonedCount, isLost) = (job.abandonedCount + 1, until != nil) }
    let until = try until ?? beginRange(now: now, until: bound, firstRecord: firstRecord)
    attempt += 1
    var next = Holder(
      token: token, session: request.session, number: request.number, began: now, replica: replica)
    if let asked = asked.first {
      // Which date of a range is run, only its replica knows.
      next.date = asked.from == asked.through ? asked.from : nil
    } else {
      next.date = job.nextTime.flatMap { $0 >= from && $0 <= until ? $0 : nil }
    }
    next.key = job.key
    holder = next
    var run = claimed(until: until, token: token)
    run.abandonedBy = abandoned?.replica
    return run
  }

  /// Begins at now if a clock that was ahead has accounted for moments beyond that. Then the range has no
  /// dates with records: it begins after the first ones, and ends before the next. It ends with `bound` if
  /// that comes before now.
  /// Twins: `timers.take_2`, `timers.follow_clock_2`, `timers.first_record_2`, `timers.noted_2`.
  private mutating func beginRange(
    now: StoreTime, until bound: StoreTime?, firstRecord: (StoreTime) throws -> StoreTime?
  ) throws -> StoreTime {
    if from > now + Self.clockStep {
      (ahead, from) = (max(ahead ?? from, from), (floor > .zero ? min(floor, now) : now).next)
    }
    // A floor in the future, after the clock was set back, ends now.
    let floor = min(floor, now)
    var (first, record) = (max(from, floor.next), StoreTime?.none)
    if let end = ahead, first < end {
      record = try firstRecord(first)
      while record == first {
        (from, first) = (first.next, first.next)
        record = try firstRecord(first)
      }
    } else {
      ahead = nil
    }
    // Each reason gets the moments after those of the reason before.
    var next = from
    skipped = skipped.compactMap { range in
      var range = range
      (range.first, range.last) = (next, min(range.last, floor))
      guard range.first <= range.last else { return nil }
      next = range.last.next
      return range
    }
    if bound == nil, pause?.ended != nil { pause = nil }
    let last = min(max(min(now, bound ?? now), first.previous), record?.previous ?? .distantFuture)
    (from, until, self.floor, rangeSchedule) = (first, last, .zero, job.schedule)
    return last
  }

  /// The run that the holder has claimed, for a claim that is repeated.
  /// Twin: `timers.brought_2`.
  var claimed: ClaimedRun? {
    guard let holder, let until else { return nil }
    return claimed(until: until, token: holder.token)
  }

  private func claimed(until: StoreTime, token: Int64) -> ClaimedRun {
    var run = ClaimedRun(
      job: job.name, from: from, until: until, attempt: attempt, token: token,
      schedule: rangeSchedule ?? job.schedule)
    (run.handler, run.payload, run.isLost, run.asked) = (
      rangeHandler ?? job.handler, rangePayload ?? job.payload, isLost, asked.first
    )
    (run.isCancelled, run.previousFailure) = (cancelledBy != nil, failedEnd?.failure)
    (run.key, run.options, run.postponed, run.steps) = (holder?.key, options, postponed ?? 0, steps ?? [:])
    return run
  }

  /// Twins: `timers.write_ends_2`, `timers.range_end_2`, `timers.asked_left_2`.
  mutating func end(_ end: RunEnd, now: StoreTime) {
    holder = nil
    switch end.outcome {
    case .retried, .postponed:
      var last = end.withoutRetry
      if end.outcome == .postponed {
        (last.failure, attempt, postponed) = (failedEnd?.failure, attempt - 1, (postponed ?? 0) + 1)
      }
      (job.nextTime, failedEnd) = (end.next, last)
      return
    case .released:
      attempt -= 1
      // A postponed date keeps its range.
      if attempt == 0, failedEnd == nil { closeRange() }
      if let moment = job.nextTime, moment > now + Self.clockStep { job.nextTime = now }
      return
    case .done: job.doneCount += 1
    case .failed: job.failedCount += 1
    case .settled: break
    }
    job.missedCount += end.missed
    if let date = end.date ?? end.abandonedDate, end.asked == nil { job.lastTime = date }
    // The range bounds what an end accounts for.
    from = max(from, min(end.through, until ?? end.through).next)
    let owesAgain = closeRange()
    if let place = asked.firstIndex(where: { $0.id == end.asked }) {
      if let rest = end.askedRest { asked[place].from = rest } else { asked.remove(at: place) }
    }
    job.nextTime = end.schedule == job.schedule && !owesAgain ? end.next : firstUnknown(now)
    if !asked.isEmpty { job.nextTime = min(job.nextTime ?? now, now) }
    // The clock was ahead when the range was claimed.
    if let moment = job.nextTime, from > now + Self.clockStep { job.nextTime = min(moment, now) }
    // A job that was put leaves with its last date, unless that has failed.
    isRemoved = isRemoved || !job.handler.isEmpty && end.outcome == .done && job.nextTime == nil
  }
}

extension JobRow {
  /// The row of a new job, which owes dates from now on, or since an only date that has passed. A job of that
  /// name may have been removed.
  /// Twins: `timers.first_start_2`, `timers.records_end_2`.
  init(
    name: String, schedule: String, since date: StoreTime? = nil, in rows: RowSet
  ) throws {
    let now = rows.now
    self.init(name: name, schedule: schedule, now: now)
    // Records of later dates are of a clock that was ahead.
    let last = try rows.lastDate(of: name, through: now + Self.clockStep)?.next ?? .zero
    from = max(date.map { min($0, now) } ?? from, last)
    if date.map({ $0 > now + Self.clockStep }) ?? true,
      try rows.firstDate(of: name, from: now + Self.clockStep) != nil
    {
      ahead = try rows.lastDate(of: name, through: .distantFuture)?.next
    }
  }
}
