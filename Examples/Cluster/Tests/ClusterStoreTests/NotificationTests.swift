import DatabaseSupport
import Foundation
import PostgresClient
import Synchronization
import Testing
import TimerScheduling
import TimerSchedulingCluster

/// Notifications of PostgreSQL to replicas that listen.
@Suite(Databases.areThere, .timeLimit(.minutes(5))) struct NotificationTests {
  private struct Refusal: Error {}

  private final class Count: Sendable {
    private let count = Mutex(0)

    var value: Int { count.withLock(\.self) }

    func add() { count.withLock { $0 += 1 } }

    /// Returns when the count is greater than a number. The time limit of the test ends it otherwise.
    func wait(beyond number: Int) async throws {
      while value <= number { try await Task.sleep(for: .milliseconds(1)) }
    }
  }

  private static let schema = #"my "own" timers"#
  private static let listening = """
    FROM pg_stat_activity WHERE query LIKE 'LISTEN %' AND datname = current_database() AND pid <> pg_backend_pid()
    """

  private let database: PostgresClient
  private let store: PostgresTimerStore

  init() async throws {
    let database = PostgresClient(Databases.direct + (try await Databases.makeEmpty()))
    self.database = database
    store = PostgresTimerStore(schema: Self.schema) { sql, parameters in
      try await database.rows(sql, parameters)
    } listen: { channel, notified in
      try await database.listen(to: channel, notified)
    }
    try await store.migrate()
  }

  @Test func `Puts that are due soon, retries, requests and resumes are told at the commit, and no others`()
    async throws
  {
    let told = Count()
    let watch = Task { [store] in try await store.watch { told.add() } }
    try await database.waitForRows("SELECT \(Self.listening)")
    let (scheduler, tomorrow) = (TimerScheduler(), Date(timeIntervalSinceNow: 86_400))
    let cluster = TimerCluster(store: store, scheduler: scheduler)
    for number in 0..<20 {
      try await cluster.put(name: "\(number)", handler: "mail", schedule: .at(tomorrow))
      try await cluster.pause("\(number)")
      try await cluster.cancelRequests(of: "\(number)")
    }
    await #expect(throws: Refusal.self) {
      try await database.transaction { db in
        try await cluster.put(handler: "mail") { sql, parameters in try await db.rows(sql, parameters) }
        throw Refusal()
      }
    }
    // Notifications come in the order of the commits.
    for number in 0..<2 {
      try await database.rows("SELECT pg_notify($1, '')", [Self.schema])
      try await told.wait(beyond: number)
    }
    #expect(told.value == 2)

    func expectTold(_ perform: () async throws -> Void) async throws {
      let before = told.value
      try await perform()
      try await told.wait(beyond: before)
    }
    try await expectTold { try await cluster.put(name: "job", handler: "mail") }
    try await expectTold { try await cluster.put(handler: "mail", after: .milliseconds(500)) }
    try await expectTold {
      try await database.transaction { db in
        _ = try await cluster.put(handler: "mail") { sql, parameters in try await db.rows(sql, parameters) }
      }
    }
    try await expectTold { try await cluster.run("job") }
    try await expectTold { try await cluster.backfill("job", in: Date()...tomorrow) }
    try await expectTold { _ = try? await cluster.retry("job") }
    try await expectTold { try await cluster.resume("0") }
    try await expectTold { try await cluster.resume(handler: "mail") }
    try await expectTold { try await cluster.resumeAll() }
    #expect(told.value == 11)
    watch.cancel()
    await #expect(throws: CancellationError.self) { try await watch.value }
    await scheduler.shutdownAndWait()
    await database.close()
  }

  @Test func `A replica that listens begins jobs of others sooner, and listens again when it is cut off`()
    async throws
  {
    let (runs, scheduler) = (Count(), TimerScheduler())
    TimerCluster(store: store, scheduler: scheduler, lease: .seconds(3)).handle("mail") { _ in runs.add() }
    let other = TimerCluster(store: store, scheduler: scheduler)
    for number in 0..<2 {
      try await database.waitForRows("SELECT \(Self.listening)")
      let began = ContinuousClock.now
      for _ in 0..<30 {
        let before = runs.value
        try await other.put(handler: "mail")
        try await runs.wait(beyond: before)
      }
      // By looking each second it takes almost thirty seconds.
      #expect(ContinuousClock.now - began < .seconds(15))
      if number == 0 { try await database.rows("SELECT pg_terminate_backend(pid, 10000) \(Self.listening)") }
    }
    await scheduler.shutdownAndWait()
    try await database.waitForRows("SELECT WHERE NOT EXISTS (SELECT \(Self.listening))")
    await database.close()
  }
}
