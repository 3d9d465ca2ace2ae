#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// One run of a job, on the replica that has claimed its date.
public struct ClusterRun: Sendable {
  /// The name of the job.
  public let name: String
  /// The date it is for.
  public let scheduledDate: Date
  /// The fencing token. It grows with every run, so a system that remembers the greatest one can refuse older runs.
  public let token: Int64
  /// 1, and more if earlier runs of the date were abandoned.
  public let attempt: Int
  /// The number of dates that were passed over before this one.
  public let missedCount: Int

  private let store: any TimerStore
  private let noteFinish: @Sendable () -> Void

  init(
    _ claim: ClaimVerdict.Claim, of name: String, store: any TimerStore,
    noteFinish: @escaping @Sendable () -> Void
  ) {
    self.name = name
    scheduledDate = claim.date.date
    token = claim.token
    attempt = claim.attempt
    missedCount = claim.missedCount
    self.store = store
    self.noteFinish = noteFinish
  }

  /// Ends the run within a transaction, so that what the transaction writes counts exactly once.
  ///
  /// Make it the transaction's last statement. It succeeds only while no other replica has taken the run over, and an error
  /// that leaves the transaction's body rolls everything back. A store without transactions ends the run directly, without
  /// calling `execute`.
  ///
  /// <!-- no-compile -->
  /// ```swift
  /// try await database.transaction { db in
  ///   try await db.insert(bill)
  ///   try await run.finish { sql, parameters in try await db.rows(sql, parameters) }
  /// }
  /// ```
  ///
  /// - Parameter execute: Runs one statement in the transaction and returns its rows with their columns as text.
  /// - Throws: ``ClusterError/takenOver(job:token:)`` if another replica has the run, ``ClusterError/alreadyEnded(job:token:)``
  ///   if the run has ended before, or what `execute` throws. A program that makes its transaction again, as the answer to a
  ///   commit was lost, catches the second: the first transaction was committed then, and this one is rolled back.
  public nonisolated(nonsending) func finish(
    _ execute: nonisolated(nonsending) (_ sql: String, _ parameters: [String?]) async throws -> [[String?]]
  ) async throws {
    guard let statement = store.finishStatement(job: name, token: token) else {
      guard try await store.finish(job: name, token: token, failure: nil) else {
        throw ClusterError.takenOver(job: name, token: token)
      }
      return noteFinish()
    }
    let rows = try await execute(statement.sql, statement.parameters)
    switch rows.first?.first {
    case "ended": noteFinish()
    case "over":
      noteFinish()
      throw ClusterError.alreadyEnded(job: name, token: token)
    case "lost": throw ClusterError.takenOver(job: name, token: token)
    case let answer: throw ClusterError.unexpectedAnswer(answer.flatMap(\.self) ?? "no row")
    }
  }
}
