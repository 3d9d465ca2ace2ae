import TimerScheduling

/// The changes that programs and operators make to a row. They don't write the fields of a run.
extension JobRow {
  /// Keeps a row that was to go with its run, as that of a new job. No other attempt follows the run.
  /// Twin: `timers.restore_2`.
  mutating func restore() {
    var new = ClusterJob(name: job.name, schedule: job.schedule)
    // A run under way has them until the job is put with others.
    (new.nextTime, new.payload, new.key) = (job.nextTime, job.payload, job.key)
    if until != nil { rangeHandler = rangeHandler ?? job.handler }
    (job, asked, isRemoved, pause) = (new, [], false, nil)
  }

  /// Gives up an outdated range that waits.
  /// Twin: `timers.give_up_outdated_retry_2`.
  mutating func giveUpOutdatedRetry(now: StoreTime) {
    guard isWaiting, isOutdated else { return }
    giveUpOutdated(now: now)
  }

  /// Sets the handler and the payload for the ranges to come, and the key and the options for the attempts.
  /// Twin: `timers.put_one_2`.
  mutating func set(_ new: PutRequest.Job) {
    if until != nil {
      if new.handler != job.handler { rangeHandler = rangeHandler ?? job.handler }
      if new.payload != job.payload { rangePayload = rangePayload ?? job.payload }
    }
    (job.handler, job.payload, job.key, options) = (new.handler, new.payload, new.key, new.options)
  }

  /// Whether a put for a date, which the job has already, changes only its payload, key and options.
  /// Twin: `timers.put_one_2`.
  func isPut(for new: PutRequest.Job, at date: StoreTime) -> Bool {
    isKnown && job.handler == new.handler && job.schedule == TimerSchedule.at(date.date).description
  }

  /// Returns the date for which a job with one date is run: the first moment from that date on that has no
  /// record and lies after an open range.
  /// Twins: `timers.put_one_2`, `timers.unrecorded_2`.
  mutating func owe(_ date: StoreTime, in rows: RowSet) throws -> StoreTime {
    var date = date
    if let first = until?.next {
      // Moments that a clock which was ahead has accounted for are owed again from now on.
      let again = rows.now.next
      date = max(date, first > again + Self.clockStep ? again : first)
    }
    let end = max(from, ahead ?? from)
    while date < end, try rows.firstDate(of: job.name, from: date) == date { date = date.next }
    // The dates from it on that have records are left out.
    if until == nil, date < from { (from, ahead) = (date, end) }
    return date
  }

  /// Whether it waits, is retried or under way.
  /// Twin: `timers.put_one_2`.
  var isKnown: Bool {
    !isRemoved && (holder != nil || job.nextTime != nil || job.handler.isEmpty)
  }

  /// Twin: `timers.jobs_2`.
  var retry: ClusterJob.Retry? {
    guard isWaiting, let failedEnd, let moment = job.nextTime else { return nil }
    return ClusterJob.Retry(attempt: attempt + 1, failure: failedEnd.failure ?? "", time: moment)
  }

  /// Twin: `timers.state_2`.
  func state(at now: StoreTime) -> ClusterJob.State {
    if holder != nil { return .running }
    var job = job
    (job.retry, job.isDue) = (retry, job.nextTime.map { $0 <= now })
    return job.state
  }

  /// Begins the attempt that waits, or asks for the last date of a job that has failed for good, or returns
  /// false.
  /// Twin: `timers.retry_2`.
  mutating func beginRetry(now: StoreTime, token: () throws -> Int64) rethrows -> Bool {
    if isWaiting {
      job.nextTime = min(job.nextTime ?? now, now)
      return true
    }
    guard holder == nil, !job.handler.isEmpty, job.nextTime == nil else { return false }
    let date = job.lastTime ?? now
    ask(AskedRange(id: try token(), from: date, through: date), now: now)
    return true
  }

  /// Returns the end of the range if the attempt that waits is given up, or nil if none waits.
  /// Twins: `timers.cancel_2`, `timers.give_up_2`.
  func givenUpRetry(by person: String) -> RunEnd? {
    guard isWaiting, var end = failedEnd else { return nil }
    end.failure = end.failure.map { "\($0) (given up by \(person))" } ?? "given up by \(person)"
    return end
  }

  /// The job as it is put to be run now.
  var putForNow: PutRequest.Job {
    var new = PutRequest.Job(job: job.name, handler: job.handler, payload: job.payload, delay: 0)
    (new.key, new.options) = (job.key, options)
    return new
  }

  /// Returns the job to put as an end gives the date up for good.
  /// Twin: `timers.write_ends_2`.
  func givenUp(by end: RunEnd) throws -> PutRequest.Job? {
    guard let handler = end.ifGivenUp, let name = end.givenUpName, !isRemoved else { return nil }
    guard end.outcome == .failed || end.abandonedDate != nil else { return nil }
    let payload = GivenUpJob(name: job.name, payload: rangePayload ?? job.payload, failure: end.failure ?? "")
    return PutRequest.Job(job: name, handler: handler, payload: try payload.json, delay: 0)
  }

  /// Withdraws what operators have asked for.
  /// Twin: `timers.withdraw_2`.
  mutating func withdraw(now: StoreTime) {
    if isWaiting, let end = failedEnd, end.asked != nil { self.end(end, now: now) }
    asked = []
    giveUpOutdatedRetry(now: now)
  }

  /// Whether an end is that of a run which operators have asked for, and which they have withdrawn.
  /// Twin: `timers.first_ends_2`.
  func hasWithdrawn(_ end: RunEnd) -> Bool {
    end.asked.map { id in !asked.contains { $0.id == id } } ?? false
  }

  /// Changes the schedule, which isn't run for dates up to now, or before its only date if that is earlier.
  /// Twins: `timers.put_one_2`, `timers.register_2`.
  mutating func setSchedule(_ schedule: String, now: StoreTime, owed date: StoreTime? = nil) {
    floor = min(max(floor, now), date?.previous ?? .distantFuture)
    if pause?.ended != nil { pause = nil }
    skip(through: floor, .scheduleChanged, note: job.schedule)
    job.schedule = schedule
    job.nextTime = min(job.nextTime ?? now, date ?? now, now)
  }

  /// Sets the schedule that the job had before another version of the program, which is gone. What that
  /// version hasn't accounted for is still owed.
  /// Twin: `timers.register_2`.
  mutating func resume(_ schedule: String, now: StoreTime) {
    job.schedule = schedule
    job.nextTime = min(job.nextTime ?? now, firstUnknown(now))
  }

  /// Whether the job was put for one date, which is work that a pause doesn't leave out.
  /// Twin: `timers.has_one_date_2`.
  private var hasOneDate: Bool { !job.handler.isEmpty && job.schedule.hasPrefix("at ") }

  /// The date of a job that was put for one, if no range accounts for it.
  /// Twin: `timers.only_date_2`.
  var onlyDate: StoreTime? {
    guard hasOneDate, case .onceAt(let date)? = try? TimerSchedule(parsing: job.schedule).cadence else {
      return nil
    }
    let first = until.map { start(afterRange: $0.next) } ?? from
    return StoreTime(date) >= first ? StoreTime(date) : nil
  }

  /// The moment from which the job is due if its next date isn't known. A pause that began later leaves out
  /// no date from before it.
  /// Twin: `timers.first_unknown_2`.
  func firstUnknown(_ now: StoreTime) -> StoreTime { min(max(from, floor.next), now) }

  /// Leaves out the dates of pauses of the job, its handler and the cluster, before a range begins.
  ///
  /// A date that was due before a pause is still run. Then this returns the beginning of that pause, with
  /// which the range has to end. The next range leaves out the dates of the pause.
  /// Twin: `timers.leave_out_2`.
  mutating func leaveOut(_ pauses: [ClusterPause]) -> StoreTime? {
    guard until == nil, !hasOneDate else { return nil }
    let all = (pauses + [pause].compactMap(\.self)).filter { $0.concerns(job.handler) }
    var bound: StoreTime?
    for pause in all.sorted(by: { $0.began < $1.began }) {
      guard let ended = pause.ended, ended >= from else { continue }
      if bound == nil, let due = job.nextTime, max(due, from, floor.next) <= pause.began {
        bound = pause.began
      }
      if bound == nil { floor = max(floor, ended) }
      skip(
        from: bound == nil ? .zero : pause.began.next, through: bound == nil ? floor : ended, .paused,
        by: pause.by, note: pause.reason)
    }
    return bound
  }

  /// Twin: `timers.pause_2`.
  mutating func setPaused(_ request: PauseRequest, now: StoreTime) {
    if request.isPaused, !job.isPaused {
      pause = ClusterPause(handler: nil, began: now, by: request.by, reason: request.reason)
    } else if job.isPaused, !request.isPaused {
      // A program of the version before, which noted no beginning, may have paused it.
      var ended = pause ?? ClusterPause(handler: nil, began: .zero, by: job.pausedBy, reason: job.pauseReason)
      ended.ended = now
      pause = ended
      var left = self
      if until == nil, left.leaveOut([]) == nil {
        self = left
        pause = nil
      }
    }
    (job.isPaused, job.pausedBy, job.pauseReason) = (request.isPaused, request.by, request.reason)
  }

  /// Notes a reason for which dates are left out. Of a job that isn't claimed for long, the newest are kept.
  /// Twin: `timers.skip_2`.
  private mutating func skip(
    from first: StoreTime = .zero, through last: StoreTime, _ reason: SkippedDates.Reason,
    by person: String = "", note: String
  ) {
    if skipped.count == 8 { skipped.removeFirst() }
    skipped.append(SkippedDates(from: first, through: last, reason: reason, by: person, note: note))
  }

  /// Adds a range that an operator has asked for. It is run after a run under way.
  /// Twin: `timers.ask_2`.
  mutating func ask(_ range: AskedRange, now: StoreTime) {
    asked.append(range)
    // A retry keeps its moment.
    if until == nil || holder != nil { job.nextTime = min(job.nextTime ?? now, now) }
  }
}
