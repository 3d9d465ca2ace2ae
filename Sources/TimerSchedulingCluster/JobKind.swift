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
public struct JobKind<Payload: Codable & Sendable>: Sendable, Hashable {
  /// The name of the handler.
  public let handler: String

  /// Creates a kind of jobs, which are put with a handler's name.
  public init(_ handler: String) { self.handler = handler }
}

extension NewJob {
  /// Creates a job with a schedule, as `put(_:_:name:schedule:)` puts it.
  ///
  /// - Throws: The error of encoding the payload.
  public init<Payload>(
    _ kind: JobKind<Payload>, _ payload: Payload, name: String, schedule: TimerSchedule
  ) throws {
    try self.init(name: name, handler: kind.handler, schedule: schedule, payload: payload)
  }

  /// Creates a job that is run once, as `put(_:_:name:after:)` puts it. A nil name is a new one.
  ///
  /// - Throws: The error of encoding the payload.
  public init<Payload>(
    _ kind: JobKind<Payload>, _ payload: Payload, name: String? = nil, after delay: Duration = .zero
  ) throws {
    try self.init(name: name, handler: kind.handler, after: delay, payload: payload)
  }
}

extension TimerCluster {
  /// Runs an action for each date of the jobs of a kind.
  ///
  /// It does what ``handle(_:as:limit:timeout:ifAbandoned:ifFailed:catchUp:perform:)`` does.
  ///
  /// - Returns: This replica's part in the handler.
  /// - Precondition: As for that method.
  @discardableResult
  public func handle<Payload>(
    _ kind: JobKind<Payload>, limit: Int = 100, timeout: Duration? = nil,
    ifAbandoned: AbandonedRunBehavior = .runAgain(attempts: 3),
    ifFailed: FailedRunBehavior = .retry(
      attempts: 5, backoff: .exponential(from: .seconds(1), upTo: .seconds(600))),
    catchUp: Duration = .seconds(86_400),
    @_inheritActorContext perform action:
      @escaping @isolated(any) @Sendable (Payload, ClusterRun) async throws -> Void
  ) -> ClusterRegistration {
    handle(
      kind.handler, as: Payload.self, limit: limit, timeout: timeout, ifAbandoned: ifAbandoned,
      ifFailed: ifFailed, catchUp: catchUp, perform: action)
  }

  /// Puts a job of a kind into the store, as `put(name:handler:schedule:payload:)` does.
  ///
  /// - Throws: The error of encoding the payload, or what that method throws.
  public func put<Payload>(
    _ kind: JobKind<Payload>, _ payload: Payload, name: String, schedule: TimerSchedule
  ) async throws {
    try await put([NewJob(kind, payload, name: name, schedule: schedule)])
  }

  /// Puts a job of a kind within a transaction, as `put(name:handler:schedule:payload:in:)` does.
  ///
  /// - Throws: The error of encoding the payload, or what that method throws.
  public func put<Payload>(
    _ kind: JobKind<Payload>, _ payload: Payload, name: String, schedule: TimerSchedule, in execute: Execute
  ) async throws {
    try await put([NewJob(kind, payload, name: name, schedule: schedule)], in: execute)
  }

  /// Puts a job of a kind that is run once: now, or after a delay. A nil name is a new one.
  ///
  /// It does what `put(name:handler:after:payload:)` does.
  ///
  /// - Returns: The name of the job.
  /// - Throws: The error of encoding the payload, or what that method throws.
  @discardableResult
  public func put<Payload>(
    _ kind: JobKind<Payload>, _ payload: Payload, name: String? = nil, after delay: Duration = .zero
  ) async throws -> String {
    try await put(name: name, handler: kind.handler, after: delay, payload: payload)
  }

  /// Puts a job of a kind that is run once within a transaction.
  ///
  /// It does what `put(name:handler:after:payload:in:)` does.
  ///
  /// - Returns: The name of the job.
  /// - Throws: The error of encoding the payload, or what that method throws.
  @discardableResult
  public func put<Payload>(
    _ kind: JobKind<Payload>, _ payload: Payload, name: String? = nil, after delay: Duration = .zero,
    in execute: Execute
  ) async throws -> String {
    try await put(name: name, handler: kind.handler, after: delay, payload: payload, in: execute)
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
