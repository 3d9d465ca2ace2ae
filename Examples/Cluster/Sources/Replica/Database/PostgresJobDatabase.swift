#if PostgreSQL
import PostgresClient
import TimerSchedulingCluster

/// A PostgreSQL, which replicas on any machine share.
struct PostgresJobDatabase: JobDatabase {
  private let postgresStore: PostgresTimerStore
  private let client: PostgresClient

  init(_ url: String, timeLimit: Duration) {
    client = PostgresClient(url, timeLimit: timeLimit)
    // Claims have connections of their own, so that long transactions of jobs don't delay the renewal of
    // leases.
    let claims = PostgresClient(url, connections: 2)
    postgresStore = PostgresTimerStore { sql, parameters in
      try await claims.rows(sql, parameters)
    } listen: { channel, notified in
      try await claims.listen(to: channel, notified)
    }
  }

  var store: any TimerStore { postgresStore }

  func makeTables() async throws {
    try await postgresStore.migrate()
    try await EffectTable.make(in: client)
  }

  func begin(_ run: ClusterRun) async throws {
    try await client.transaction { db in
      try await run.step("begin", in: { sql, parameters in try await db.rows(sql, parameters) }) {
        try await EffectTable.insertBeginning(job: run.name, date: run.scheduledDate, with: db)
      }
    }
  }

  func finish(_ run: ClusterRun, by replica: String) async throws {
    try await client.transaction { db in
      try await EffectTable.insert(
        job: run.name, date: run.scheduledDate, token: run.token, replica: replica, with: db)
      // Throws if another replica has taken the run over, and then nothing is written.
      try await run.finish { sql, parameters in try await db.rows(sql, parameters) }
    }
  }

  func put(_ tenants: [Tenant], in cluster: TimerCluster) async throws {
    try await client.transaction { db in
      for tenant in tenants {
        try await db.rows(
          "INSERT INTO tenant VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET payload = excluded.payload",
          [tenant.name, tenant.payload])
        try await cluster.put(
          name: tenant.name, handler: Tenant.handler, schedule: tenant.schedule, key: tenant.key,
          payload: tenant.payload
        ) { sql, parameters in try await db.rows(sql, parameters) }
      }
    }
  }

  func remove(tenant name: String, in cluster: TimerCluster) async throws {
    try await client.transaction { db in
      try await db.rows("DELETE FROM tenant WHERE name = $1", [name])
      try await cluster.remove(name: name) { sql, parameters in try await db.rows(sql, parameters) }
    }
  }
}
#endif
