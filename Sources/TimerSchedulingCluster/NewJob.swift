public import TimerScheduling

/// A job to put into the store, for ``TimerCluster/put(_:)``.
///
/// ```swift
/// let jobs = try ["ann@example.org", "bob@example.org"].map { address in
///   try NewJob(handler: "mail", payload: ["to": address])
/// }
/// try await cluster.put(jobs)
/// ```
public struct NewJob: Sendable, Hashable {
  enum Dates: Sendable, Hashable {
    case schedule(TimerSchedule)
    case after(Duration)
  }

  /// The name of the job.
  public let name: String
  /// The name of the handler that runs it.
  public let handler: String
  /// A text for the handler.
  public let payload: String
  let dates: Dates

  /// Creates a job with a schedule, as `put(name:handler:schedule:payload:)` puts it.
  public init(name: String, handler: String, schedule: TimerSchedule, payload: String = "") {
    (self.name, self.handler, self.payload, dates) = (name, handler, payload, .schedule(schedule))
  }

  /// Creates a job that is run once, as `put(name:handler:after:payload:)` puts it. A nil name is a new one.
  public init(name: String? = nil, handler: String, after delay: Duration = .zero, payload: String = "") {
    (self.name, self.handler, self.payload, dates) = (name ?? JobName.make(), handler, payload, .after(delay))
  }

  /// Creates a job with a schedule, whose payload is a value as JSON.
  ///
  /// - Throws: The error of encoding the value.
  public init(
    name: String, handler: String, schedule: TimerSchedule, payload: some Encodable & Sendable
  ) throws {
    self.init(name: name, handler: handler, schedule: schedule, payload: try payload.sortedJSON)
  }

  /// Creates a job that is run once, whose payload is a value as JSON. A nil name is a new one.
  ///
  /// - Throws: The error of encoding the value.
  public init(
    name: String? = nil, handler: String, after delay: Duration = .zero, payload: some Encodable & Sendable
  ) throws {
    self.init(name: name, handler: handler, after: delay, payload: try payload.sortedJSON)
  }
}
