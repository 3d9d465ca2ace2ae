import DatabaseSupport
import PostgresClient
import Synchronization
import Testing
import TimerScheduling
import TimerSchedulingCluster

/// Jobs that a program puts within its own transaction.
@Suite(Databases.areThere, .timeLimit(.minutes(5))) struct PutTests {
  private struct Refusal: Error {}

  @Test func `A job for now is put with the program's transaction and run, or neither is`() async throws {
    let database = PostgresClient(Databases.direct + (try await Databases.makeEmpty()))
    let store = PostgresTimerStore { sql, parameters in try await database.rows(sql, parameters) }
    try await store.migrate()
    try await database.rows("CREATE TABLE orders (number text)")
    let scheduler = TimerScheduler()
    let cluster = TimerCluster(store: store, scheduler: scheduler)
    let runs = Mutex<[String]>([])
    cluster.handle("mail") { run in runs.withLock { $0.append(run.payload) } }
    await #expect(throws: Refusal.self) {
      try await database.transaction { db in
        try await db.rows("INSERT INTO orders VALUES ('refused')")
        try await cluster.put(handler: "mail", payload: "refused") { sql, parameters in
          try await db.rows(sql, parameters)
        }
        throw Refusal()
      }
    }
    try await database.transaction { db in
      try await db.rows("INSERT INTO orders VALUES ('7')")
      try await cluster.put(name: "mail 7", handler: "mail", payload: "7") { sql, parameters in
        try await db.rows(sql, parameters)
      }
    }
    while try await cluster.history(of: "mail 7").first?.outcome != .done {
      try await Task.sleep(for: .milliseconds(10))
    }
    await scheduler.shutdownAndWait()
    #expect(runs.withLock(\.self) == ["7"])
    #expect(try await database.rows("SELECT number FROM orders") == [["7"]])
    #expect(try await cluster.jobs().isEmpty)
    await database.close()
  }
}
