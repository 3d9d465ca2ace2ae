public import TimerScheduling

/// Puts of jobs that keep an earlier job of the same name as it is.
extension TimerCluster {
  /// Puts a job unless there is an earlier one of that name. It does what `put` does otherwise.
  ///
  /// ```swift
  /// let name = try await cluster.put(
  ///   name: "report of tenant 7", handler: "report", schedule: .every(.seconds(3600), starting: .aligned),
  ///   unless: .known)
  /// logger.info(name == nil ? "there already" : "put")
  /// ```
  ///
  /// The store decides, so of puts at the same moment on any replicas one has an effect.
  ///
  /// - Returns: The name of the job, or nil if it wasn't put.
  /// - Throws: What `put` throws.
  public func put<Payload: Encodable & Sendable>(
    name: String, handler: String, schedule: TimerSchedule, within: Duration? = nil, key: String? = nil,
    attempts: Int? = nil, payload: Payload = "", unless earlier: EarlierJob
  ) async throws -> String? {
    try await put(
      NewJob(
        name: name, handler: handler, schedule: schedule, within: within, key: key, attempts: attempts,
        payload: payload), unless: earlier)
  }

  /// Puts a job that is run once, now or after a delay, unless there is an earlier one of that name.
  ///
  /// - Returns: The name of the job, or nil if it wasn't put.
  /// - Throws: What `put` throws.
  public func put<Payload: Encodable & Sendable>(
    name: String, handler: String, after delay: Duration = .zero, within: Duration? = nil, key: String? = nil,
    attempts: Int? = nil, payload: Payload = "", unless earlier: EarlierJob
  ) async throws -> String? {
    try await put(
      NewJob(
        name: name, handler: handler, after: delay, within: within, key: key, attempts: attempts,
        payload: payload), unless: earlier)
  }

  /// Puts a job within a transaction of the program's, unless there is an earlier one of that name.
  ///
  /// - Returns: The name of the job, or nil if it wasn't put.
  /// - Throws: What `put` within a transaction throws.
  public func put<Payload: Encodable & Sendable>(
    name: String, handler: String, schedule: TimerSchedule, within: Duration? = nil, key: String? = nil,
    attempts: Int? = nil, payload: Payload = "", unless earlier: EarlierJob, in execute: Execute
  ) async throws -> String? {
    try await put(
      NewJob(
        name: name, handler: handler, schedule: schedule, within: within, key: key, attempts: attempts,
        payload: payload), unless: earlier, in: execute)
  }

  /// Puts a job that is run once within a transaction of the program's, unless there is an earlier one of
  /// that name.
  ///
  /// - Returns: The name of the job, or nil if it wasn't put.
  /// - Throws: What `put` within a transaction throws.
  public func put<Payload: Encodable & Sendable>(
    name: String, handler: String, after delay: Duration = .zero, within: Duration? = nil, key: String? = nil,
    attempts: Int? = nil, payload: Payload = "", unless earlier: EarlierJob, in execute: Execute
  ) async throws -> String? {
    try await put(
      NewJob(
        name: name, handler: handler, after: delay, within: within, key: key, attempts: attempts,
        payload: payload), unless: earlier, in: execute)
  }

  func put(_ job: NewJob, unless earlier: EarlierJob) async throws -> String? {
    try await perform(request([job], unless: earlier)).name(of: job)
  }

  func put(_ job: NewJob, unless earlier: EarlierJob, in execute: Execute) async throws -> String? {
    try await perform(request([job], unless: earlier), in: execute).name(of: job)
  }
}
