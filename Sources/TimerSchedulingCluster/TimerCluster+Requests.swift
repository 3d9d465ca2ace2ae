import TimerScheduling
import TimerSchedulingFoundation

/// Requests of the program's to the store, and what they may contain.
extension TimerCluster {
  func request(_ jobs: [NewJob], unless earlier: EarlierJob? = nil) throws(ClusterError) -> PutRequest {
    var request = PutRequest(try jobs.map(checked))
    for place in request.jobs.indices { request.jobs[place].unless = earlier?.microseconds }
    return request
  }

  private func checked(_ job: NewJob) throws(ClusterError) -> PutRequest.Job {
    let (name, handler, payload) = (try checked(job.name), try checked(job.handler), job.payload)
    if payload.utf8.count > 65_536 || payload.utf8.contains(0) {
      throw .payloadInvalid(job: name, bytes: payload.utf8.count)
    }
    var found = PutRequest.Job(job: name, handler: handler, payload: payload)
    if let key = job.key { found.key = try checked(key) }
    if job.attempts != nil || job.within != nil {
      found.options = JobOptions(attempts: job.attempts, within: job.within?.wholeMicroseconds)
    }
    switch job.dates {
    case .after(let delay):
      guard .zero ... .seconds(3_155_760_000) ~= delay else { throw .delayInvalid(job: name, delay: delay) }
      found.delay = delay.wholeMicroseconds
    case .schedule(var schedule):
      // The times of stores begin in 1970.
      let first = StoreTime.zero.next.date
      if case .onceAt(..<first) = schedule.cadence { schedule = .at(first) }
      let text = schedule.description
      if schedule.options.jitter != .zero || schedule.options.tolerance != nil {
        throw .scheduleNotAgreed(
          schedule: text,
          reason: "jitter and tolerance are of a timer, which a job in the store doesn't have. Leave them "
            + "out, and spread jobs by .spread(by:over:)")
      }
      let dates = try ClusterDates(text: text, catchUp: .zero)
      // An only date is run, also if it has passed.
      if case .onceAt(let date) = schedule.cadence { found.date = StoreTime(date) }
      if dates.date(after: found.date?.previous ?? now) == nil {
        throw .scheduleOver(job: name, schedule: text)
      }
      if found.date == nil { found.schedule = text }
    }
    return found
  }

  /// The store's time, or until its first answer that of the scheduler.
  private var now: StoreTime { replica.now ?? StoreTime(Date(scheduler.driver.clock.read().wall)) }

  /// Performs a request, also for a task that is cancelled, as an action may put a job then. Has this replica
  /// claim what the request may have made due.
  @discardableResult
  func perform<Call: StoreCall>(_ call: Call) async throws -> Call.Answer {
    defer { replica.wake() }
    return try await companion.uncancelled { [companion, store, lease] in
      try await companion.ask(store, within: lease) { try await $0.answer(call) }
    }
  }

  func perform<Call: StoreCall>(_ call: Call, in execute: Execute) async throws -> Call.Answer {
    if let answer = try await store.answer(call, in: execute) { return answer }
    return try await perform(call)
  }

  /// Returns a name as the store has it: short enough for a database's index, and without control characters.
  func checked(_ name: String) throws(ClusterError) -> String { try Self.checked(name) }

  static func checked(_ name: String) throws(ClusterError) -> String {
    let name = name.composed
    let hasControls = name.unicodeScalars.contains { $0.properties.generalCategory == .control }
    guard 1...1_000 ~= name.utf8.count, !hasControls else { throw .nameInvalid(name: name) }
    return name
  }
}

extension PutRequest.Answer {
  func check() throws(ClusterError) { if let served { throw .servedByProgram(job: served) } }

  /// Returns the name of a job, if it was put.
  func name(of job: NewJob) throws(ClusterError) -> String? {
    try check()
    return isPut ? job.name.composed : nil
  }
}

extension RemovalRequest.Answer {
  func wasFound(_ job: String) throws(ClusterError) -> Bool {
    if isServed { throw .servedByProgram(job: job) }
    return found
  }
}
