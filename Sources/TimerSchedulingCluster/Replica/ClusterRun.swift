import TimerScheduling
public import TimerSchedulingFoundation

/// One run of a job, on the replica that has claimed its date.
public struct ClusterRun: Sendable {
  /// The name of the job.
  public let name: String
  /// The handler of a job that was put. Empty for a job of the program.
  public let handler: String
  /// The date the job is run for.
  public let scheduledDate: Date
  /// The fencing token. It grows with every run, so a system that remembers the greatest one can refuse older
  /// runs.
  public let token: Int64
  /// The number of the attempt: 1, or more if earlier runs of the date were abandoned or failed.
  public let attempt: Int
  /// The number of skipped dates before this one. Those of a rule are counted up to 10,000.
  public let missedCount: Int
  /// The payload with which the job was put. Empty for a job of the program.
  public let payload: String
  /// The error of the attempt before. Nil if none has failed for this date.
  public let previousFailure: String?
  /// The number of times that the date was postponed: by ``RunDecision/again(after:)``, or as a program has
  /// cancelled its run.
  public let postponedCount: Int
  /// The key with which the job was put. Nil without one.
  public let key: String?

  /// The end of the run if its action returns.
  let end: RunEnd
  let run: ActiveRun
  var store: any TimerStore { run.replica.store }

  init(_ run: ActiveRun) {
    (self.run, end) = (run, run.plannedEnd)
    let claim = run.claim
    (name, token, attempt, missedCount) = (claim.job, claim.token, claim.attempt, end.missed)
    (payload, previousFailure) = (claim.payload, claim.previousFailure)
    (handler, postponedCount, key) = (claim.handler, claim.postponed, claim.key)
    // Only a run with a date is performed.
    scheduledDate = (end.date ?? claim.until).date
  }

  /// The run that the current task belongs to, or nil if it belongs to none.
  ///
  /// An action, functions it calls, tasks it makes and a scheduler's interceptor learn from it for which job
  /// they run.
  public static var current: ClusterRun? {
    (ActionRun.currentContext as? ActiveRun).map { ClusterRun($0) }
  }

  /// Returns the payload as a value, from JSON.
  func payload<Value: Decodable>(as type: Value.Type) throws -> Value {
    if let text = payload as? Value { return text }
    do {
      return try JSONDecoder().decode(type, from: Data(payload.utf8))
    } catch {
      throw UnreadablePayload(
        description: "The payload of \"\(name)\" isn't a value of \(type) as JSON: \(error)")
    }
  }

  /// Ends the run within a transaction, so that the transaction's writes count exactly once.
  ///
  /// Make this call the transaction's last statement. It succeeds only while no other replica has taken the
  /// run over, and an error thrown out of the transaction's body rolls everything back. If the transaction is
  /// rolled back and the action returns all the same, the run is recorded as done. A store without
  /// ``TimerStore/statement(for:)`` ends the run directly, without a call of `execute`. For SQLite use the
  /// synchronous form: this one would wait for the file, which the transaction has locked. If the
  /// transaction's body is `async`, call that form from a synchronous function. Here `database` is the
  /// program's client:
  ///
  /// ```swift
  /// cluster.schedule(.every(.seconds(60), starting: .aligned), name: "bill") { run in
  ///   try await database.transaction { db in
  ///     try await db.insert("a bill")
  ///     try await run.finish { sql, parameters in try await db.rows(sql, parameters) }
  ///   }
  /// }
  /// ```
  ///
  /// - Parameter execute: Runs one statement in the transaction and returns its rows with their columns as
  ///   text.
  /// - Throws: ``ClusterError/runTakenOver(job:token:)`` if another replica has the run,
  ///   ``ClusterError/runEnded(job:token:)`` if it has already ended, or the error of `execute`. A program
  ///   that repeats its transaction because the answer to a commit was lost should catch `runEnded`: the
  ///   first transaction was committed, and this one is rolled back.
  public nonisolated(nonsending) func finish(in execute: TimerCluster.Execute) async throws {
    if let answer = try await store.answer(EndRequest([end], waits: true), in: execute) {
      return try note(answer)
    }
    try note(await run.replica.write(end), isFinal: true)
  }

  /// Notes the store's verdict on an end. It isn't final within a transaction, which may be rolled back.
  func note(_ answer: EndAnswer, isFinal: Bool = false) throws {
    switch answer.verdicts.first {
    case .written: run.finish(isFinal ? .known : .inTransaction)
    case .before:
      run.finish(.known)
      if isFinal { return }
      run.replica.claim(after: answer)
      throw ClusterError.runEnded(job: name, token: token)
    case .refused: throw ClusterError.runTakenOver(job: name, token: token)
    case .locked: throw ClusterError.jobLocked(job: name)
    case nil: throw UnexpectedAnswer("no verdict")
    }
  }
}

/// A payload that isn't a value of its handler's type, as another version of the program may have put it.
struct UnreadablePayload: Error, CustomStringConvertible {
  let description: String
}
