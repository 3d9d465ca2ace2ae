import DatabaseSupport
import Foundation
import PostgresClient
import Synchronization
import Testing
import TimerScheduling
import TimerSchedulingCluster

/// A database whose clock was ahead, and is set right again.
@Suite(Databases.areThere, .timeLimit(.minutes(5))) struct ClockTests {
  @Test func `Jobs go on at once after a clock that was eight hours ahead, and no date is run twice`()
    async throws
  {
    let (database, store) = try await makeStore()
    let scheduler = TimerScheduler()
    let cluster = TimerCluster(store: store, scheduler: scheduler, lease: .seconds(2))
    let runs = Mutex<[(name: String, date: Date, isAhead: Bool)]>([])
    @Sendable func act(_ run: ClusterRun) {
      runs.withLock { $0.append((run.name, run.scheduledDate, run.scheduledDate > Date() + 3_600)) }
    }
    func waitUntil(_ condition: ([(name: String, date: Date, isAhead: Bool)]) -> Bool) async throws {
      while !runs.withLock({ condition($0) }) { try await Task.sleep(for: .milliseconds(10)) }
    }
    let schedule = TimerSchedule.every(.seconds(1), starting: .aligned)
    let names = ["code", "put", "removed"]
    cluster.schedule(schedule, name: "code") { act($0) }
    cluster.handle("report") { act($0) }
    for name in names.dropFirst() { try await cluster.put(name: name, handler: "report", schedule: schedule) }
    try await waitUntil { runs in names.allSatisfy { name in runs.count { $0.name == name } > 1 } }
    try await setClock(of: database, ahead: 28_800)
    try await waitUntil { runs in
      names.allSatisfy { name in runs.contains { $0.name == name && $0.isAhead } }
    }
    // A pause that ends then leaves out none of the dates to come.
    try await cluster.pauseAll()
    try await cluster.resumeAll()
    try await setClock(of: database, ahead: 0)
    let count = runs.withLock(\.count)
    try await cluster.remove(name: "removed")
    try await cluster.put(name: "removed", handler: "report", schedule: schedule)
    try await cluster.put(name: "now", handler: "report")
    let began = Date()
    try await waitUntil { runs in
      let rest = runs.dropFirst(count).filter { !$0.isAhead }
      return names.allSatisfy { name in rest.count { $0.name == name } > 2 }
        && rest.contains { $0.name == "now" }
    }
    #expect(Date().timeIntervalSince(began) < 60)
    await scheduler.shutdownAndWait()
    let all = runs.withLock { $0.map { "\($0.name) \($0.date)" } }
    #expect(Set(all).count == all.count)
    await database.close()
  }

  @Test func `A job that is put for now during its run comes after it, though the clock has gone back`()
    async throws
  {
    let (database, store) = try await makeStore()
    let scheduler = TimerScheduler()
    let cluster = TimerCluster(store: store, scheduler: scheduler, lease: .seconds(2))
    let (payloads, begun) = AsyncStream<String>.makeStream()
    // The clock has caught up by the end of a run.
    cluster.handle("report") { run in
      begun.yield(run.payload)
      try await Task.sleep(for: .seconds(3))
    }
    try await setClock(of: database, ahead: 2)
    var found = payloads.makeAsyncIterator()
    for payload in ["first", "second"] {
      try await cluster.put(name: "job", handler: "report", payload: payload)
      #expect(await found.next() == payload)
      try await setClock(of: database, ahead: 0)
    }
    while try await !cluster.jobs().isEmpty { try await Task.sleep(for: .milliseconds(50)) }
    await scheduler.shutdownAndWait()
    await database.close()
  }

  @Test func `A date whose attempts are used up has a record`() async throws {
    let (database, _) = try await makeStore()
    let (functions, session) = (StoreFunctions(database), UUID())
    try await functions.register(session, job: "job", lease: .seconds(60))
    for (reason, record) in [("newerDate", nil), ("attemptsUsedUp", "7")] as [(String, String?)] {
      let (_, token) = try await functions.claim(session, lease: .seconds(60))
      try await database.rows(
        """
        SELECT timers.end_2(jsonb_build_object('ends', jsonb_build_array(jsonb_build_object(
          'token', token, 'outcome', 'settled', 'through', through, 'next', through, 'schedule', 'one', 'skipped',
          '[{"from": 7, "through": 7, "reason": "\(reason)", "by": "", "note": ""}]'::jsonb))))::text
        FROM timers.run WHERE token = $1::text::bigint
        """, ["\(token)"])
      #expect(try await database.rows("SELECT timers.first_record_2('job', 0)::text") == [[record]])
    }
    await database.close()
  }

  /// Makes a store whose clock can be set.
  private func makeStore() async throws -> (PostgresClient, PostgresTimerStore) {
    let database = PostgresClient(Databases.direct + (try await Databases.makeEmpty()))
    let store = PostgresTimerStore { sql, parameters in try await database.rows(sql, parameters) }
    try await store.migrate()
    try await database.rows("CREATE TABLE clock_offset AS SELECT 0::bigint AS ahead")
    try await database.rows(
      """
      CREATE OR REPLACE FUNCTION timers.now_2() RETURNS bigint LANGUAGE sql VOLATILE AS $f$
        SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint + (SELECT ahead FROM clock_offset)
      $f$
      """)
    return (database, store)
  }

  private func setClock(of database: PostgresClient, ahead seconds: Int) async throws {
    try await database.rows("UPDATE clock_offset SET ahead = \(seconds * 1_000_000)")
  }
}
