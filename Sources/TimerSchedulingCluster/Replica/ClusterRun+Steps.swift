import TimerScheduling
import TimerSchedulingFoundation

/// Parts of an action that later attempts don't do again.
extension ClusterRun {
  /// Does a part of the job once for its date: its result is kept, and a later attempt gets it.
  ///
  /// ```swift
  /// cluster.handle("order") { run in
  ///   let number = try await run.step("number") { Int.random(in: 1...1_000_000) }
  ///   try await run.step("mail") { try await mail("\(run.payload): \(number)") }
  /// }
  /// ```
  ///
  /// The store keeps the result after the body has returned, with the job's date and under this run's token.
  /// A run that was taken over keeps nothing. The results go when the date is done or given up. If the body
  /// throws, or the replica dies before the result is kept, the next attempt does the part again. With
  /// `step(_:in:_:)`, its effects in a transaction are exactly once.
  ///
  /// - Parameters:
  ///   - name: The name of the part, as long as that of a job. It stands for the same part in all attempts.
  ///   - body: The part. Its result is kept as JSON.
  /// - Returns: The result of the body, or that of an attempt before.
  /// - Throws: The body's error, or that of writing or reading JSON.
  ///   ``ClusterError/runTakenOver(job:token:)``, ``ClusterError/nameInvalid(name:)``, or
  ///   ``ClusterError/stepTooLarge(job:step:)`` if the results of the date have more than 65,536 bytes with
  ///   their names. The store's error, after it was asked for a lease.
  public nonisolated(nonsending) func step<Result: Codable & Sendable>(
    _ name: String, _ body: () async throws -> Result
  ) async throws -> Result {
    let step = try TimerCluster.checked(name)
    if let known = run.step(step) { return try Self.result(known) }
    let result = try await body()
    let request = StepRequest(token: token, step: step, value: try result.json)
    try check(await run.replica.keep(request), request)
    return result
  }

  /// Does a part of the job without a result once for its date.
  ///
  /// - Throws: As the form with a result.
  public nonisolated(nonsending) func step(_ name: String, _ body: () async throws -> Void) async throws {
    _ = try await step(name) { () async throws -> NoResult in
      try await body()
      return NoResult()
    }
  }

  /// Does a part of the job within a transaction, so that its effects there and the record of it are both
  /// kept or neither.
  ///
  /// ```swift
  /// cluster.handle("order") { run in
  ///   try await database.transaction { db in
  ///     try await run.step("book", in: { sql, parameters in try await db.rows(sql, parameters) }) {
  ///       try await db.insert("a booking")
  ///     }
  ///   }
  /// }
  /// ```
  ///
  /// A transaction that is repeated, as the answer to its commit was lost, gets the result without calling
  /// `body`. A store without ``TimerStore/statement(for:)`` keeps the result directly, without a call of
  /// `execute`. For SQLite use the synchronous form, as for `finish(in:)`.
  ///
  /// - Returns: The result of the body, or that of an attempt before.
  /// - Throws: As the form without a transaction, or the error of `execute`.
  public nonisolated(nonsending) func step<Result: Codable & Sendable>(
    _ name: String, in execute: TimerCluster.Execute, _ body: () async throws -> Result
  ) async throws -> Result {
    let step = try TimerCluster.checked(name)
    if let known = run.step(step) { return try Self.result(known) }
    var request = StepRequest(token: token, step: step)
    guard let answer = try await store.answer(request, in: execute) else {
      return try await self.step(name, body)
    }
    if let known = try check(answer, request) { return try Self.result(known) }
    let result = try await body()
    request.value = try result.json
    if let answer = try await store.answer(request, in: execute) { try check(answer, request) }
    return result
  }

  /// Does a part of the job without a result within a transaction.
  ///
  /// - Throws: As the form with a result.
  public nonisolated(nonsending) func step(
    _ name: String, in execute: TimerCluster.Execute, _ body: () async throws -> Void
  ) async throws {
    _ = try await step(name, in: execute) { () async throws -> NoResult in
      try await body()
      return NoResult()
    }
  }

  /// The result of a part without one.
  struct NoResult: Codable {}

  static func result<Result: Decodable>(_ json: String) throws -> Result {
    try JSONDecoder().decode(Result.self, from: Data(json.utf8))
  }

  /// Returns the result that is there already. Throws if the store has refused a request.
  @discardableResult
  func check(_ answer: StepRequest.Answer, _ request: StepRequest) throws(ClusterError) -> String? {
    switch answer.verdict {
    case .written: return nil
    case .before: return answer.value
    case .refused: throw .runTakenOver(job: name, token: token)
    case .tooLarge: throw .stepTooLarge(job: name, step: request.step)
    }
  }
}

extension ClusterReplica {
  /// Has the store keep the result of a step, and repeats that for a lease until the store answers.
  fileprivate func keep(_ request: StepRequest) async throws -> StepRequest.Answer {
    let answer = try await companion.uncancelled { [self] in
      let start = elapsed
      while true {
        do {
          return try await companion.ask(store, within: lease / 3) { try await $0.answer(request) }
        } catch {
          guard elapsed - start < lease, (try? await companion.sleep(for: lease / 20)) != nil else {
            throw error
          }
        }
      }
    }
    if let run = state.withLock({ $0.runs[request.token] }), let value = request.value,
      answer.verdict == .written
    {
      run.keep(value, of: request.step)
    }
    return answer
  }
}
