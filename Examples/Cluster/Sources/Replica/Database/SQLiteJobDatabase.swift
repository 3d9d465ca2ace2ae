import Foundation
import GRDB
import TimerSQLite
import TimerSchedulingCluster

/// A file of SQLite, which the processes of one machine share.
struct SQLiteJobDatabase: JobDatabase {
  let store: any TimerStore
  private let pool: DatabasePool

  init(path: String) async throws {
    pool = try await SQLiteTimerStore.pool(at: path)
    store = SQLiteTimerStore(pool)
  }

  func makeTables() async throws {
    try await pool.write { db in
      try db.execute(
        sql: """
          CREATE TABLE IF NOT EXISTS effect (
            job TEXT NOT NULL, scheduled_at TEXT NOT NULL, token INTEGER UNIQUE, replica TEXT NOT NULL);
          CREATE TABLE IF NOT EXISTS beginning (job TEXT NOT NULL, scheduled_at TEXT NOT NULL);
          CREATE TABLE IF NOT EXISTS tenant (name TEXT PRIMARY KEY, payload TEXT NOT NULL);
          """)
    }
  }

  func begin(_ run: ClusterRun) async throws {
    try await pool.write { db in
      try run.step("begin", in: db) {
        try db.execute(
          sql: "INSERT INTO beginning VALUES (?, ?)", arguments: [run.name, run.scheduledDate.text])
      }
    }
  }

  func finish(_ run: ClusterRun, by replica: String) async throws {
    try await pool.write { db in
      try db.execute(
        sql: "INSERT INTO effect VALUES (?, ?, ?, ?)",
        arguments: [run.name, run.scheduledDate.text, run.token, replica])
      // Throws if another replica has taken the run over, and then nothing is written.
      try run.finish(in: db)
    }
  }

  func put(_ tenants: [Tenant], in cluster: TimerCluster) async throws {
    try await pool.write { db in
      for tenant in tenants {
        try db.execute(
          sql: "INSERT OR REPLACE INTO tenant VALUES (?, ?)", arguments: [tenant.name, tenant.payload])
        try cluster.put(
          name: tenant.name, handler: Tenant.handler, schedule: tenant.schedule, key: tenant.key,
          payload: tenant.payload, in: db)
      }
    }
  }

  func remove(tenant name: String, in cluster: TimerCluster) async throws {
    try await pool.write { db in
      try db.execute(sql: "DELETE FROM tenant WHERE name = ?", arguments: [name])
      try cluster.remove(name: name, in: db)
    }
  }
}
