import Foundation
import GRDB
import GRDBSQLite
import Synchronization
import Testing
import TimerSQLite
import TimerScheduling
import TimerSchedulingCluster
import TimerSchedulingClusterTesting
import TimerSchedulingTesting

@Suite(.timeLimit(.minutes(10))) struct SQLiteStoreTests {
  /// A file in a folder of its own.
  let path: String
  /// No call waits for its answer longer than the lease. A busy machine needs a long one.
  private static let lease = Duration.seconds(300)

  init() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "timers \(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    path = folder.appending(path: "jobs.sqlite").path
  }

  func open() throws -> DatabasePool {
    var configuration = Configuration()
    configuration.busyMode = .timeout(30)
    return try DatabasePool(path: path, configuration: configuration)
  }

  @Test func `SQLite keeps the contract of a store, beside another connection that uses it`() async throws {
    let other = SQLiteTimerStore(try open())
    let store = SQLiteTimerStore(try open())
    // A machine that stalls for longer than the contract's leases seems to break it. A store that does breaks
    // it each time.
    for attempt in 1...3 {
      do {
        try await TimerStoreContract(attempt == 2 ? other : store) { try await Task.sleep(for: $0) }.check()
        break
      } catch let violation as TimerStoreContract.Violation where attempt < 3 {
        print("Attempt \(attempt): \(violation)")
      }
    }
  }

  @Test func `Replicas that share a file run each date once`() async throws {
    let runs = Mutex<[Date]>([])
    let replicas = try (1...3).map { number in
      let scheduler = TimerScheduler()
      let cluster = TimerCluster(
        store: SQLiteTimerStore(try open()), scheduler: scheduler, replica: "replica \(number)")
      cluster.schedule(
        .every(.milliseconds(100), starting: .aligned).missedTicks(.burst), name: "bill"
      ) { run in runs.withLock { $0.append(run.scheduledDate) } }
      return scheduler
    }
    while runs.withLock(\.count) < 10 { try await Task.sleep(for: .milliseconds(10)) }
    for replica in replicas { await replica.shutdownAndWait() }
    let tenths = runs.withLock { $0.map { ($0.timeIntervalSince1970 * 10).rounded() } }
    #expect(tenths == tenths.indices.map { tenths[0] + Double($0) })
  }

  @Test func `A commit of the store's is on disk, also in a pool`() async throws {
    let pool = try open()
    _ = try await TimerCluster(store: SQLiteTimerStore(pool)).jobs()
    // 2 stands for FULL.
    #expect(try await pool.writeWithoutTransaction { try Int.fetchOne($0, sql: "PRAGMA synchronous") } == 2)
  }

  // Fails if a list takes the lock of writers.
  @Test func `Lists are read while another connection writes`() async throws {
    var configuration = Configuration()
    configuration.busyMode = .immediateError
    configuration.allowsUnsafeTransactions = true
    let other = try DatabasePool(path: path, configuration: configuration)
    let pool = try DatabasePool(path: path, configuration: configuration)
    let cluster = TimerCluster(store: SQLiteTimerStore(other), lease: Self.lease)
    try await cluster.put(handler: "mail")
    try await pool.writeWithoutTransaction { db in
      try db.execute(sql: "BEGIN IMMEDIATE")
    }
    #expect(try await cluster.jobs().map(\.handler) == ["mail"])
    #expect(try await cluster.history().isEmpty)
    await #expect(throws: (any Error).self) { try await cluster.put(handler: "mail") }
    try await pool.writeWithoutTransaction { db in
      try db.execute(sql: "COMMIT")
    }
  }

  @Test func `Jobs that are put together in a transaction are committed or rolled back with it`() async throws
  {
    let pool = try open()
    let cluster = TimerCluster(store: SQLiteTimerStore(pool), lease: Self.lease)
    _ = try await cluster.jobs()
    let jobs = (0..<3).map { NewJob(name: "\($0)", handler: "mail") }
    await #expect(throws: CancellationError.self) {
      try await pool.write { db in
        try cluster.put(jobs, in: db)
        throw CancellationError()
      }
    }
    #expect(try await cluster.jobs().isEmpty)
    try await pool.write { db in try cluster.put(jobs, in: db) }
    #expect(try await cluster.jobs().map(\.name) == ["0", "1", "2"])
  }

  @Test func `Jobs and dates survive a restart`() async throws {
    let dates = Mutex<[Date]>([])
    for round in 1...2 {
      let scheduler = TimerScheduler()
      let cluster = TimerCluster(
        store: SQLiteTimerStore(try open()), scheduler: scheduler, replica: "replica \(round)")
      cluster.schedule(.every(.seconds(1), starting: .aligned), name: "bill") { run in
        dates.withLock { $0.append(run.scheduledDate) }
      }
      while dates.withLock(\.count) < round { try await Task.sleep(for: .milliseconds(10)) }
      await scheduler.shutdownAndWait()
    }
    let cluster = TimerCluster(store: SQLiteTimerStore(try open()), lease: Self.lease)
    #expect(try await cluster.jobs().map(\.doneCount) == [dates.withLock(\.count)])
    #expect(Set(dates.withLock(\.self)).count == dates.withLock(\.count))
  }

  @Test func `A run ends with the program's transaction, and a job is put with one, or neither is`()
    async throws
  {
    struct Refusal: Error {}
    let pool = try open()
    try await pool.write { db in try db.execute(sql: "CREATE TABLE bill (date REAL)") }
    let scheduler = TimerScheduler()
    let cluster = TimerCluster(store: SQLiteTimerStore(pool), scheduler: scheduler)
    let attempts = Mutex(0)
    cluster.handle("bill", ifFailed: .leave) { run in
      let attempt = attempts.withLock { count in
        count += 1
        return count
      }
      try await pool.write { db in
        try db.execute(
          sql: "INSERT INTO bill VALUES (?)", arguments: [run.scheduledDate.timeIntervalSince1970])
        try run.finish(in: db)
        if attempt == 1 { throw Refusal() }
      }
    }
    let schedule = TimerSchedule.every(.milliseconds(50), starting: .aligned).missedTicks(.burst)
    await #expect(throws: Refusal.self) {
      try await pool.write { db in
        try cluster.put(name: "refused", handler: "bill", schedule: schedule, in: db)
        throw Refusal()
      }
    }
    try await pool.write { db in try cluster.put(name: "bill", handler: "bill", schedule: schedule, in: db) }
    while attempts.withLock(\.self) < 5 { try await Task.sleep(for: .milliseconds(10)) }
    await scheduler.shutdownAndWait()
    let job = try #require(try await cluster.jobs().first)
    #expect(try await cluster.jobs().map(\.name) == ["bill"])
    #expect(job.failedCount == 1)
    #expect(try await pool.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM bill") } == job.doneCount)
  }

  @Test func `A job for now is put with the program's transaction and run, or neither is`() async throws {
    struct Refusal: Error {}
    let pool = try open()
    try await pool.write { db in try db.execute(sql: "CREATE TABLE orders (number TEXT)") }
    let scheduler = TimerScheduler()
    let cluster = TimerCluster(store: SQLiteTimerStore(pool), scheduler: scheduler)
    let runs = Mutex<[String]>([])
    cluster.handle("mail") { run in runs.withLock { $0.append(run.payload) } }
    await #expect(throws: Refusal.self) {
      try await pool.write { db in
        try db.execute(sql: "INSERT INTO orders VALUES ('refused')")
        try cluster.put(handler: "mail", payload: "refused", in: db)
        throw Refusal()
      }
    }
    let name = try await pool.write { db in
      try db.execute(sql: "INSERT INTO orders VALUES ('7')")
      return try cluster.put(handler: "mail", payload: "7", in: db)
    }
    while try await cluster.history(of: name).first?.outcome != .done {
      try await Task.sleep(for: .milliseconds(10))
    }
    await scheduler.shutdownAndWait()
    #expect(runs.withLock(\.self) == ["7"])
    #expect(try await pool.read { try String.fetchAll($0, sql: "SELECT number FROM orders") } == ["7"])
    #expect(try await cluster.jobs().isEmpty)
  }

  @Test func `The texts of statements don't vary with the time, as each is kept prepared`() async throws {
    let texts = Mutex<Set<String>>([])
    let runs = Mutex(0)
    let pool = try open()
    let store = SQLiteTimerStore { body in
      try await pool.write { db in
        try body { sql, parameters in
          texts.withLock { _ = $0.insert(sql) }
          return try Row.fetchAll(db, sql: sql, arguments: StatementArguments(parameters)).map { row in
            row.databaseValues.map {
              String.fromDatabaseValue($0) ?? Int64.fromDatabaseValue($0).map(String.init)
            }
          }
        }
      }
    }
    let scheduler = TimerScheduler()
    let cluster = TimerCluster(store: store, scheduler: scheduler, lease: Self.lease)
    cluster.handle("bill") { _ in runs.withLock { $0 += 1 } }
    try await cluster.put(
      name: "bill", handler: "bill",
      schedule: .every(.milliseconds(20), starting: .aligned).missedTicks(.burst))
    while runs.withLock(\.self) < 100 { try await Task.sleep(for: .milliseconds(10)) }
    await scheduler.shutdownAndWait()
    for second in 0..<100 {
      _ = try await cluster.explain("bill", at: Date(timeIntervalSince1970: Double(second)))
    }
    // A text for each run or for each date would be a hundred more.
    #expect(texts.withLock(\.count) < 100)
  }

  // The history has the job's own records, and those of others.
  @Test(arguments: ["sync", "other"])
  func `A put, a claim, an end and a removal of records read few rows of a long history`(of job: String)
    async throws
  {
    let steps = Mutex<[String: Int]>([:])
    let pool = try open()
    let store = SQLiteTimerStore { body in
      try await pool.writeWithoutTransaction { db in
        try db.inTransaction(.immediate) {
          try body { sql, parameters in
            let statement = try db.makeStatement(sql: sql)
            let rows = try Row.fetchAll(statement, arguments: StatementArguments(parameters))
            let count = unsafe Int(
              sqlite3_stmt_status(statement.sqliteStatement, SQLITE_STMTSTATUS_VM_STEP, 0))
            steps.withLock { $0[sql] = max($0[sql] ?? 0, count) }
            return rows.map { row in
              row.databaseValues.map {
                String.fromDatabaseValue($0) ?? Int64.fromDatabaseValue($0).map(String.init)
              }
            }
          }
          return .commit
        }
      }
    }
    let scheduler = TimerScheduler()
    let cluster = TimerCluster(store: store, scheduler: scheduler, lease: Self.lease, historyCount: 1_000_000)
    let runs = Mutex(0)
    cluster.handle("sync") { _ in runs.withLock { $0 += 1 } }
    @Sendable func put(_ name: String) async throws {
      try await cluster.put(name: name, handler: "sync")
      while try await !cluster.jobs().isEmpty { try await Task.sleep(for: .milliseconds(5)) }
    }
    try await put(job)
    try await pool.write { db in
      try db.execute(
        sql: """
          WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50000)
          INSERT INTO timers_run SELECT token + i, job, began, date - i, outcome, is_hidden,
            json_set(row, '$.record.token', token + i, '$.record.date', date - i) FROM timers_run, n
          """)
      try db.execute(sql: "UPDATE timers_token SET last = 100000")
    }
    steps.withLock { $0 = [:] }
    try await put("sync")
    #expect(try await cluster.removeHistory(before: .distantPast) == 0)
    await scheduler.shutdownAndWait()
    #expect(runs.withLock(\.self) == 2)
    let most = steps.withLock { steps in steps.max { $0.value < $1.value } }
    #expect(most?.value ?? .max < 50_000, "\(most?.key ?? "no statement")")
  }

  @Test func `An idle replica with a handler writes to the file only when half of its lease is over`()
    async throws
  {
    let counts = Mutex((requests: 0, writes: 0))
    let pool = try open()
    let store = SQLiteTimerStore { body in
      try await pool.writeWithoutTransaction { db in
        let before = db.totalChangesCount
        try db.inTransaction(.immediate) {
          try body { sql, parameters in
            try Row.fetchAll(db, sql: sql, arguments: StatementArguments(parameters)).map { row in
              row.databaseValues.map {
                String.fromDatabaseValue($0) ?? Int64.fromDatabaseValue($0).map(String.init)
              }
            }
          }
          return .commit
        }
        let isWrite = db.totalChangesCount > before
        counts.withLock { $0 = ($0.requests + 1, $0.writes + (isWrite ? 1 : 0)) }
      }
    }
    let scheduler = TimerScheduler()
    TimerCluster(store: store, scheduler: scheduler, lease: .seconds(3_600)).handle("report") { _ in }
    // The first two may be the registration and the claim after it.
    while counts.withLock(\.requests) < 3 { try await Task.sleep(for: .milliseconds(10)) }
    let before = counts.withLock(\.writes)
    while counts.withLock(\.requests) < 6 { try await Task.sleep(for: .milliseconds(10)) }
    #expect(counts.withLock(\.writes) == before)
    await scheduler.shutdownAndWait()
  }

  @Test func `A cluster on a file is tested in virtual time`() async throws {
    let clock = VirtualClock(settlingTimeout: .seconds(60))
    let scheduler = TimerScheduler(clock: clock)
    let cluster = TimerCluster(store: SQLiteTimerStore(try open()), scheduler: scheduler)
    let runs = Mutex<[String]>([])
    @Sendable func act(_ run: ClusterRun) {
      let (date, now) = (
        run.scheduledDate.timeIntervalSinceReferenceDate, clock.date.timeIntervalSinceReferenceDate
      )
      runs.withLock { $0.append("\(run.name) \(Int(date)) at \(Int(now))") }
    }
    cluster.schedule(.every(.seconds(60), starting: .aligned), name: "code") { act($0) }
    cluster.handle("mail") { act($0) }
    try await cluster.put(name: "mail", handler: "mail", after: .seconds(90))
    await clock.advance(by: .seconds(130))
    #expect(runs.withLock(\.self) == ["code 60 at 60", "mail 90 at 90", "code 120 at 120"])
    let end = Task { await scheduler.shutdownAndWait() }
    await clock.advance(by: .seconds(20))
    await end.value
  }

  @Test func `A transaction of the program puts, ends and removes directly in a store in memory`()
    async throws
  {
    let pool = try open()
    let clock = VirtualClock(settlingTimeout: .seconds(60))
    let scheduler = TimerScheduler(clock: clock)
    let cluster = TimerCluster(store: MemoryTimerStore(), scheduler: scheduler)
    cluster.handle("mail") { run in try await pool.write { db in try run.finish(in: db) } }
    try await pool.write { db in
      try cluster.put(name: "removed", handler: "mail", after: .seconds(5), in: db)
      try cluster.remove(name: "removed", in: db)
      try cluster.put(name: "mail", handler: "mail", in: db)
    }
    // The clock doesn't wait for the transaction of the run.
    while try await !cluster.jobs().isEmpty { await clock.advance(by: .seconds(1)) }
    #expect(try await cluster.history().map(\.job) == ["mail"])
    #expect(try await cluster.history().map(\.outcome) == [.done])
    await scheduler.shutdownAndWait()
  }
}
