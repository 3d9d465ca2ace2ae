import DatabaseSupport
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
    _ = try await store.register(job: "job", fingerprint: "one")
    #expect(try await store.jobs().map(\.name) == ["job"])
    await client.close()
  }

  @Test func `A database without the schema gives an error that says what to do`() async throws {
    let (client, store) = try await makeDatabase()
    let error = await #expect(throws: ClusterError.self) {
      try await store.register(job: "job", fingerprint: "one")
    }
    guard case .schemaMissing = error else { Issue.record("\(String(describing: error))"); return }
    #expect(error?.description.contains("migrate()") == true)
    await client.close()
  }

  @Test func `A schema that serves only newer programs is refused`() async throws {
    let (client, store) = try await makeDatabase()
    try await store.migrate()
    try await client.rows("COMMENT ON SCHEMA timers IS 'TimerScheduling 3, for programs since 2'")
    let error = await #expect(throws: ClusterError.self) { try await store.validate() }
    guard case .schemaNewer(found: 2, supported: 1) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    await client.close()
  }
}
