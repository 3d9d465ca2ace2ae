import GRDB
import Synchronization
import Testing
import TimerSQLite
import TimerSchedulingCluster

/// The opening of a file that other connections open, write or have changed.
extension SQLiteStoreTests {
  // SQLite asks no busy handler before it refuses to change the journal mode of a file that is being written.
  @Test func `A file that another connection writes is opened again until it is free`() async throws {
    var configuration = Configuration()
    configuration.allowsUnsafeTransactions = true
    let other = try DatabaseQueue(path: path, configuration: configuration)
    try await other.writeWithoutTransaction { db in
      try db.execute(sql: "BEGIN IMMEDIATE; CREATE TABLE sale (number INTEGER)")
    }
    let attempts = Mutex(0)
    configuration.prepareDatabase { _ in
      let attempt = attempts.withLock { count in
        count += 1
        return count
      }
      if attempt == 2 { try other.writeWithoutTransaction { try $0.execute(sql: "COMMIT") } }
    }
    let pool = try await SQLiteTimerStore.pool(at: path, configuration)
    #expect(try await pool.read { try $0.tableExists("sale") })
    #expect(attempts.withLock(\.self) >= 2)
  }

  @Test func `Stores that open a new file in the same moment all get it`() async throws {
    for round in 1...20 {
      try await withThrowingTaskGroup { group in
        for number in 1...4 {
          group.addTask {
            let store = try await SQLiteTimerStore(path: "\(path) \(round)")
            try await TimerCluster(store: store).put(name: "job \(number)", handler: "mail")
          }
        }
        try await group.waitForAll()
      }
      let cluster = TimerCluster(store: try await SQLiteTimerStore(path: "\(path) \(round)"))
      #expect(try await cluster.jobs().map(\.name) == ["job 1", "job 2", "job 3", "job 4"])
    }
  }

  @Test func `A pool is configured as the program says, and waits for others for some seconds`() async throws
  {
    var configuration = Configuration()
    configuration.label = "shop"
    let pool = try await SQLiteTimerStore.pool(at: path, configuration)
    #expect(pool.configuration.label == "shop")
    guard case .callback(let waits) = pool.configuration.busyMode else {
      Issue.record("The pool has no callback.")
      return
    }
    #expect(waits(0) && waits(4_999) && !waits(5_000))
  }

  @Test func `A file of a newer program is refused, with its version`() async throws {
    let pool = try open()
    _ = try await TimerCluster(store: SQLiteTimerStore(pool)).jobs()
    try await pool.write { try $0.execute(sql: "UPDATE timers_version SET programs = 3") }
    do {
      _ = try await TimerCluster(store: SQLiteTimerStore(pool)).jobs()
      Issue.record("The file is used.")
    } catch ClusterError.schemaNewer(schema: _, let found, let supported) {
      #expect((found, supported) == (3, 2))
    }
  }
}
