public import TimerScheduling

/// A handler's name with the type of its payload, written once.
///
/// A job can't be put with another payload than its handler reads:
///
/// ```swift
/// import TimerSchedulingCluster
///
/// struct Mail: Codable {
///   var address: String
/// }
/// extension JobKind where Payload == Mail {
///   static var mail: Self { Self("mail") }
/// }
///
/// func sendMails(by cluster: TimerCluster) async throws {
///   cluster.handle(.mail) { mail, run in try await send(to: mail.address) }
///   try await cluster.put(.mail, Mail(address: "ann@example.org"), after: .seconds(60))
/// }
/// func send(to address: String) async throws {}
/// ```
///
/// A program with all that a queue has: limits, steps, transactions, unique jobs, and failed ones that are
/// retried. In place of the store in memory, take one in PostgreSQL or SQLite, and its client's transaction.
///
/// ```swift
/// import Synchronization
/// import TimerScheduling
/// import TimerSchedulingCluster
///
/// struct Order: Codable {
///   var number: Int
///   var customer: String
/// }
/// extension JobKind where Payload == Order {
///   static var ship: Self { Self("ship") }
/// }
/// struct NoStock: Error {}
///
/// @main struct Shipping {
///   static let hasStock = Mutex(false)
///
///   static func main() async throws {
///     let scheduler = TimerScheduler()
///     let cluster = TimerCluster(store: MemoryTimerStore(), scheduler: scheduler)
///     let twice = FailedRunBehavior.retry(attempts: 2, backoff: .constant(.seconds(1)))
///     cluster.handle(.ship, limitInAll: 10, limitPerKey: 1, ifFailed: twice) { order, run in
///       // Once for all attempts. A job that has failed for good and is retried begins anew.
///       try await run.step("charge") { print("charged for order \(order.number)") }
///       if !hasStock.withLock(\.self) { throw NoStock() }
///       print("shipped order \(order.number) to \(order.customer)")
///     }
///     let order = Order(number: 7, customer: "ann")
///     // Within a transaction, the order and its job are both kept, or neither.
///     try await cluster.put(.ship, order, name: "order 7", key: order.customer) { sql, parameters in [] }
///     let again = try await cluster.put(.ship, order, name: "order 7", unless: .known)
///     while try await cluster.jobs(in: .failed).isEmpty { try await scheduler.sleep(for: 0.1) }
///     hasStock.withLock { $0 = true }
///     print("put again: \(again != nil), retried: \(try await cluster.retry(allOf: "ship"))")
///     while try await !cluster.jobs().isEmpty { try await scheduler.sleep(for: 0.1) }
///     await scheduler.shutdownAndWait()
///   }
/// }
/// ```
/// ```text
/// charged for order 7
/// put again: false, retried: 1
/// charged for order 7
/// shipped order 7 to ann
/// ```
public struct JobKind<Payload: Codable & Sendable>: Sendable, Hashable {
  /// The name of the handler.
  public let handler: String

  /// Creates a kind of jobs, which are put with a handler's name.
  public init(_ handler: String) { self.handler = handler }
}

extension NewJob {
  /// Creates a job with a schedule, as `put` with the same parameters puts it. A nil name is a new one.
  ///
  /// - Throws: The error of encoding the payload.
  public init<Payload>(
    _ kind: JobKind<Payload>, _ payload: Payload, name: String? = nil, schedule: TimerSchedule,
    within: Duration? = nil, key: String? = nil, attempts: Int? = nil
  ) throws {
    try self.init(
      name: name, handler: kind.handler, schedule: schedule, within: within, key: key, attempts: attempts,
      payload: payload)
  }

  /// Creates a job that is run once, as `put` with the same parameters puts it. A nil name is a new one.
  ///
  /// - Throws: The error of encoding the payload.
  public init<Payload>(
    _ kind: JobKind<Payload>, _ payload: Payload, name: String? = nil, after delay: Duration = .zero,
    within: Duration? = nil, key: String? = nil, attempts: Int? = nil
  ) throws {
    try self.init(
      name: name, handler: kind.handler, after: delay, within: within, key: key, attempts: attempts,
      payload: payload)
  }
}

extension TimerCluster {
  /// Runs an action for each date of the jobs of a kind.
  ///
  /// It does what `handle` with the handler's name does.
  ///
  /// - Returns: This replica's part in the handler.
  /// - Precondition: As for that method.
  @discardableResult
  public func handle<Payload>(
    _ kind: JobKind<Payload>, limit: Int = 100, limitInAll: Int? = nil, limitPerKey: Int? = nil,
    timeout: Duration? = nil,
    ifAbandoned: AbandonedRunBehavior = .runAgain(attempts: 3),
    ifFailed: FailedRunBehavior = .retry(
      attempts: 5, backoff: .exponential(from: .seconds(1), upTo: .seconds(600))),
    ifGivenUp: GivenUpRunBehavior = .leave, catchUp: Duration = .seconds(86_400),
    @_inheritActorContext perform action:
      @escaping @isolated(any) @Sendable (Payload, ClusterRun) async throws -> Void
  ) -> ClusterRegistration {
    handle(
      kind.handler, as: Payload.self, limit: limit, limitInAll: limitInAll, limitPerKey: limitPerKey,
      timeout: timeout, ifAbandoned: ifAbandoned,
      ifFailed: ifFailed, ifGivenUp: ifGivenUp, catchUp: catchUp, perform: action)
  }

  /// Puts a job of a kind.
  ///
  /// It does what `put` with the handler's name does.
  ///
  /// - Returns: The name of the job.
  /// - Throws: The error of encoding the payload, or what that method throws.
  @discardableResult
  public func put<Payload>(
    _ kind: JobKind<Payload>, _ payload: Payload, name: String? = nil, schedule: TimerSchedule,
    within: Duration? = nil, key: String? = nil, attempts: Int? = nil
  ) async throws -> String {
    try await put(
      NewJob(
        kind, payload, name: name, schedule: schedule, within: within, key: key, attempts: attempts))
  }

  /// Puts a job of a kind within a transaction.
  ///
  /// It does what `put` with the handler's name does.
  ///
  /// - Returns: The name of the job.
  /// - Throws: The error of encoding the payload, or what that method throws.
  @discardableResult
  public func put<Payload>(
    _ kind: JobKind<Payload>, _ payload: Payload, name: String? = nil, schedule: TimerSchedule,
    within: Duration? = nil, key: String? = nil, attempts: Int? = nil, in execute: Execute
  ) async throws -> String {
    try await put(
      NewJob(
        kind, payload, name: name, schedule: schedule, within: within, key: key, attempts: attempts),
      in: execute)
  }

  /// Puts a job of a kind that is run once.
  ///
  /// It does what `put` with the handler's name does.
  ///
  /// - Returns: The name of the job.
  /// - Throws: The error of encoding the payload, or what that method throws.
  @discardableResult
  public func put<Payload>(
    _ kind: JobKind<Payload>, _ payload: Payload, name: String? = nil, after delay: Duration = .zero,
    within: Duration? = nil, key: String? = nil, attempts: Int? = nil
  ) async throws -> String {
    try await put(
      NewJob(
        kind, payload, name: name, after: delay, within: within, key: key, attempts: attempts))
  }

  /// Puts a job of a kind that is run once within a transaction.
  ///
  /// It does what `put` with the handler's name does.
  ///
  /// - Returns: The name of the job.
  /// - Throws: The error of encoding the payload, or what that method throws.
  @discardableResult
  public func put<Payload>(
    _ kind: JobKind<Payload>, _ payload: Payload, name: String? = nil, after delay: Duration = .zero,
    within: Duration? = nil, key: String? = nil, attempts: Int? = nil, in execute: Execute
  ) async throws -> String {
    try await put(
      NewJob(
        kind, payload, name: name, after: delay, within: within, key: key, attempts: attempts), in: execute)
  }

  /// Puts a job of a kind, unless there is an earlier one of that name.
  ///
  /// It does what `put` with the handler's name does.
  ///
  /// - Returns: The name of the job, or nil if it wasn't put.
  /// - Throws: The error of encoding the payload, or what that method throws.
  public func put<Payload>(
    _ kind: JobKind<Payload>, _ payload: Payload, name: String, schedule: TimerSchedule,
    within: Duration? = nil, key: String? = nil, attempts: Int? = nil, unless earlier: EarlierJob
  ) async throws -> String? {
    try await put(
      NewJob(
        kind, payload, name: name, schedule: schedule, within: within, key: key, attempts: attempts),
      unless: earlier)
  }

  /// Puts a job of a kind within a transaction, unless there is an earlier one of that name.
  ///
  /// It does what `put` with the handler's name does.
  ///
  /// - Returns: The name of the job, or nil if it wasn't put.
  /// - Throws: The error of encoding the payload, or what that method throws.
  public func put<Payload>(
    _ kind: JobKind<Payload>, _ payload: Payload, name: String, schedule: TimerSchedule,
    within: Duration? = nil, key: String? = nil, attempts: Int? = nil, unless earlier: EarlierJob,
    in execute: Execute
  ) async throws -> String? {
    try await put(
      NewJob(
        kind, payload, name: name, schedule: schedule, within: within, key: key, attempts: attempts),
      unless: earlier, in: execute)
  }

  /// Puts a job of a kind that is run once, unless there is an earlier one of that name.
  ///
  /// It does what `put` with the handler's name does.
  ///
  /// - Returns: The name of the job, or nil if it wasn't put.
  /// - Throws: The error of encoding the payload, or what that method throws.
  public func put<Payload>(
    _ kind: JobKind<Payload>, _ payload: Payload, name: String, after delay: Duration = .zero,
    within: Duration? = nil, key: String? = nil, attempts: Int? = nil, unless earlier: EarlierJob
  ) async throws -> String? {
    try await put(
      NewJob(
        kind, payload, name: name, after: delay, within: within, key: key, attempts: attempts),
      unless: earlier)
  }

  /// Puts a job of a kind that is run once within a transaction, unless there is an earlier one of that name.
  ///
  /// It does what `put` with the handler's name does.
  ///
  /// - Returns: The name of the job, or nil if it wasn't put.
  /// - Throws: The error of encoding the payload, or what that method throws.
  public func put<Payload>(
    _ kind: JobKind<Payload>, _ payload: Payload, name: String, after delay: Duration = .zero,
    within: Duration? = nil, key: String? = nil, attempts: Int? = nil, unless earlier: EarlierJob,
    in execute: Execute
  ) async throws -> String? {
    try await put(
      NewJob(
        kind, payload, name: name, after: delay, within: within, key: key, attempts: attempts),
      unless: earlier, in: execute)
  }

  /// Pauses the jobs of a kind, as ``pause(handler:by:reason:)-(String,_,_)`` does those of a handler.
  public func pause<Payload>(
    handler kind: JobKind<Payload>, by person: String = "", reason: String = ""
  ) async throws {
    try await pause(handler: kind.handler, by: person, reason: reason)
  }

  /// Ends the pause of a kind, as ``resume(handler:by:)-(String,_)`` does that of a handler.
  public func resume<Payload>(handler kind: JobKind<Payload>, by person: String = "") async throws {
    try await resume(handler: kind.handler, by: person)
  }
}
