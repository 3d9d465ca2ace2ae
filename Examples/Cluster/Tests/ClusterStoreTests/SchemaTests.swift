import DatabaseSupport
import Foundation
import PostgresClient
import Testing
import TimerSchedulingCluster

@Suite(Databases.areThere, .timeLimit(.minutes(30))) struct SchemaTests {
  private func makeDatabase() async throws -> (client: PostgresClient, store: PostgresTimerStore) {
    let client = PostgresClient(Databases.direct + (try await Databases.makeEmpty()), connections: 8)
    return (client, PostgresTimerStore { sql, parameters in try await client.rows(sql, parameters) })
  }

  @Test func `Replicas migrate at the same time, and again`() async throws {
    let (client, store) = try await makeDatabase()
    try await withThrowingTaskGroup { group in
      for _ in 0..<8 { group.addTask { try await store.migrate() } }
      try await group.waitForAll()
    }
    try await store.migrate()
    try await StoreFunctions(client).register(UUID(), job: "job", lease: .seconds(60))
    #expect(try await TimerCluster(store: store).jobs().map(\.name) == ["job"])
    await client.close()
  }

  @Test func `A database without the schema gives an error that says what to do`() async throws {
    let (client, store) = try await makeDatabase()
    let error = await #expect(throws: ClusterError.self) {
      try await TimerCluster(store: store).jobs()
    }
    guard case .schemaMissing = error else { Issue.record("\(String(describing: error))"); return }
    #expect(error?.description.contains("migrate()") == true)
    await client.close()
  }

  @Test func `A schema that serves only newer programs is refused`() async throws {
    let (client, store) = try await makeDatabase()
    try await store.migrate()
    try await client.rows("COMMENT ON SCHEMA timers IS 'TimerScheduling 5, for programs since 4'")
    let error = await #expect(throws: ClusterError.self) { try await store.validate() }
    guard case .schemaNewer(schema: "timers", found: 4, supported: 3) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    await client.close()
  }

  @Test func `A schema of an older version is refused, and nothing of it is changed`() async throws {
    let (client, store) = try await makeDatabase()
    try await client.rows("CREATE SCHEMA timers")
    try await client.rows("COMMENT ON SCHEMA timers IS 'TimerScheduling 2, for programs since 2'")
    let error = await #expect(throws: ClusterError.self) { try await store.migrate() }
    guard case .schemaOlder(schema: "timers", found: 2, supported: 3) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    await client.close()
  }
}
