import DatabaseSupport
import Foundation
import PostgresClient
import Testing
import TimerSchedulingCluster

@Suite(Databases.areThere, .timeLimit(.minutes(30))) struct FenceTests {
  private let database = PostgresClient(Databases.direct)
  private let job = "fence \(UUID())"

  private struct Refusal: Error {}

  private func makeStore() async throws -> PostgresTimerStore {
    let store = PostgresTimerStore { sql, parameters in try await database.rows(sql, parameters) }
    try await store.migrate()
    return store
  }

  /// Claims the next date of the job, and returns the statement that ends its run.
  private func claim(
    from store: PostgresTimerStore, lease: Duration
  ) async throws -> (sql: String, parameters: [String?]) {
    let cursor = try await store.register(job: job, fingerprint: "one").cursor
    let request = ClaimRequest(
      id: UUID(), job: job, cursor: cursor, date: cursor + .microseconds(1), missedCount: 0, replica: "test",
      lease: lease, attempts: 1)
    guard case .claimed(let claim) = try await store.claim(request).verdict else { throw Refusal() }
    return store.finishStatement(job: job, token: claim.token)
  }

  private func outcomes(in store: PostgresTimerStore) async throws -> [ClusterRunRecord.Outcome] {
    try await store.history(of: job, limit: 10).map(\.outcome)
  }

  @Test func `The newest runs come first, also beyond nine, and any number of attempts fits`() async throws {
    let database = PostgresClient(Databases.direct + (try await Databases.makeEmpty()))
    let store = PostgresTimerStore { sql, parameters in try await database.rows(sql, parameters) }
    try await store.migrate()
    var cursor = try await store.register(job: job, fingerprint: "one").cursor
    for _ in 1...12 {
      let request = ClaimRequest(
        id: UUID(), job: job, cursor: cursor, date: cursor + .microseconds(1), missedCount: 0,
        replica: "test", lease: .seconds(60), attempts: .max)
      guard case .claimed(let claim) = try await store.claim(request).verdict else { throw Refusal() }
      cursor = claim.date
      _ = try await store.finish(job: job, token: claim.token, failure: nil)
    }
    #expect(try await store.history(of: job, limit: 3).map(\.token) == [12, 11, 10])
    await database.close()
  }

  @Test func `A run ends with the transaction that ends it`() async throws {
    let store = try await makeStore()
    let end = try await claim(from: store, lease: .seconds(60))
    await #expect(throws: Refusal.self) {
      try await database.transaction { db in
        let answer = try await db.rows(end.sql, end.parameters)
        #expect(answer == [["ended"]])
        throw Refusal()
      }
    }
    #expect(try await outcomes(in: store) == [.running])
    let answer = try await database.transaction { db in try await db.rows(end.sql, end.parameters) }
    #expect(answer == [["ended"]])
    #expect(try await outcomes(in: store) == [.done])
  }

  @Test func `A transaction that is made again after its commit is refused as over`() async throws {
    let store = try await makeStore()
    let end = try await claim(from: store, lease: .seconds(60))
    for expected in ["ended", "over"] {
      let answer = try await database.transaction { db in try await db.rows(end.sql, end.parameters) }
      #expect(answer == [[expected]])
    }
    #expect(try await outcomes(in: store) == [.done])
  }

  @Test func `The end of a run that was taken over is refused`() async throws {
    let store = try await makeStore()
    let end = try await claim(from: store, lease: .milliseconds(1))
    try await Task.sleep(for: .milliseconds(5))
    let next = try await claim(from: store, lease: .seconds(60))
    #expect(try await database.rows(end.sql, end.parameters) == [["lost"]])
    #expect(try await database.rows(next.sql, next.parameters) == [["ended"]])
    #expect(try await outcomes(in: store) == [.done, .abandoned])
  }
}
