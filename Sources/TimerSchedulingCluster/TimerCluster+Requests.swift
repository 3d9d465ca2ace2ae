import TimerScheduling
import TimerSchedulingFoundation

/// Requests of the program's to the store, and what they may contain.
extension TimerCluster {
  func request(
    name: String, handler: String, schedule: TimerSchedule, payload: String
  ) throws(ClusterError) -> PutRequest {
    let (name, handler) = try checked(name: name, handler: handler, payload: payload)
    let text = schedule.description
    let dates = try ClusterDates(text: text, catchUp: .zero)
    // An only date is run, also if it has passed.
    let only = if case .onceAt(let date) = schedule.cadence { StoreTime(date) } else { StoreTime?.none }
    if dates.date(after: only?.previous ?? now) == nil { throw .scheduleOver(job: name, schedule: text) }
    if let only { return PutRequest(job: name, handler: handler, date: only, payload: payload) }
    return PutRequest(job: name, handler: handler, schedule: text, payload: payload)
  }

  func request(
    name: String, handler: String, after delay: Duration, payload: String
  ) throws(ClusterError) -> PutRequest {
    let (name, handler) = try checked(name: name, handler: handler, payload: payload)
    guard Self.delays.contains(delay) else { throw .delayInvalid(job: name, delay: delay) }
    return PutRequest(job: name, handler: handler, delay: delay, payload: payload)
  }

  private static let delays = Duration.zero...Duration.seconds(3_155_760_000)

  /// The store's time, or until its first answer that of the scheduler.
  private var now: StoreTime { replica.now ?? StoreTime(Date(scheduler.driver.clock.read().wall)) }

  /// Returns the names of a job and its handler as the store has them.
  private func checked(
    name: String, handler: String, payload: String
  ) throws(ClusterError) -> (name: String, handler: String) {
    let (name, handler) = (name.composed, handler.composed)
    for name in [name, handler] where !Self.isStorable(name) { throw .nameInvalid(name: name) }
    if payload.utf8.count > 65_536 || payload.utf8.contains(0) {
      throw .payloadInvalid(job: name, bytes: payload.utf8.count)
    }
    return (name, handler)
  }

  /// A name for a job that is given none.
  static func makeName() -> String { UUID().uuidString.lowercased() }

  /// Puts a job, or throws if a program has it.
  func put(_ request: PutRequest) async throws { try await perform(request).check() }

  /// Puts a job within a transaction of the program's.
  func put(_ request: PutRequest, in execute: Execute) async throws {
    try await perform(request, in: execute).check()
  }

  /// Performs a request, and has this replica claim what it may have made due.
  @discardableResult
  func perform<Call: StoreCall>(_ call: Call) async throws -> Call.Answer {
    defer { replica.wake() }
    return try await withTimeout(lease, on: companion) { [store] in try await store.answer(call) }
  }

  /// Performs a request within a transaction of the program's.
  @discardableResult
  func perform<Call: StoreCall>(_ call: Call, in execute: Execute) async throws -> Call.Answer {
    let request = StoreRequest(call)
    guard let statement = try store.statement(for: request) else { return try await perform(call) }
    guard let text = try await execute(statement.sql, statement.parameters).first?.first ?? nil else {
      throw UnexpectedAnswer("no row")
    }
    return try request.answer(json: text).value(for: call)
  }

  /// Whether a name is short enough for a database's index, and has only characters that can be shown.
  static func isStorable(_ name: String) -> Bool {
    1...1_000 ~= name.utf8.count
      && !name.unicodeScalars.contains { $0.properties.generalCategory == .control }
  }
}

extension PutRequest.Answer {
  func check() throws(ClusterError) { if let served { throw .servedByProgram(job: served) } }
}

extension RemovalRequest.Answer {
  func check(_ job: String) throws(ClusterError) {
    if !found { throw .jobUnknown(job: job) }
    if isServed { throw .servedByProgram(job: job) }
  }
}
