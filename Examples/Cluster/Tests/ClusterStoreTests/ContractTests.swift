import DatabaseSupport
import PostgresClient
import Testing
import TimerSchedulingCluster
import TimerSchedulingClusterTesting

@Suite(Databases.areThere, .timeLimit(.minutes(30))) struct ContractTests {
  @Test(arguments: [Databases.direct, Databases.pooled])
  func `PostgreSQL keeps the contract of a store, with a pooler and without`(database: String) async throws {
    // A check removes the history of all jobs, so each has a database of its own.
    let client = PostgresClient(database + (try await Databases.makeEmpty()))
    let store = PostgresTimerStore { sql, parameters in try await client.rows(sql, parameters) }
    try await store.migrate()
    try await check(store)
    await client.close()
  }

  /// Checks the contract up to three times, as a machine that stalls for longer than the contract's leases
  /// seems to break it. A store that breaks it does so each time.
  private func check(_ store: PostgresTimerStore) async throws {
    for attempt in 1...3 {
      do {
        return try await TimerStoreContract(store) { try await Task.sleep(for: $0) }.check()
      } catch let violation as TimerStoreContract.Violation where attempt < 3 {
        print("Attempt \(attempt): \(violation)")
      }
    }
  }
}
