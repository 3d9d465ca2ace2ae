import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingCluster

/// When a store in PostgreSQL tells replicas of jobs that may be due.
@Suite(.limited, .guarantee("G170")) struct PostgresNotificationTests {
  private struct Lost: Error {}

  /// The statements that were run, without those for the schema's comment.
  private let statements = Journal<String>()

  private var execute: @Sendable (String, [String?]) async throws -> [[String?]] {
    { [statements] sql, parameters in
      if sql.contains("obj_description") { return [["TimerScheduling 2, for programs since 2"]] }
      statements.note("\(sql) \(parameters.count)")
      if sql.hasPrefix("SELECT pg_notify") { throw Lost() }
      return [[#"{"now": 1, "found": true, "isRetried": true}"#]]
    }
  }

  @Test func `A request that may make jobs due is followed by a notification, whose failure is ignored`()
    async throws
  {
    let cluster = TimerCluster(
      store: PostgresTimerStore(schema: #"a "b""#, execute: execute) { _, _ in },
      scheduler: TimerScheduler())
    func isTold(_ perform: () async throws -> Void) async throws -> Bool {
      let before = statements.entries.count
      try await perform()
      let own = statements.entries.dropFirst(before)
      #expect(own.count == (own.last?.hasPrefix("SELECT pg_notify($1, '') 1") == true ? 2 : 1))
      return own.count == 2
    }
    let now = Date()
    #expect(try await isTold { try await cluster.put(handler: "mail") })
    #expect(try await isTold { try await cluster.put(handler: "mail", after: .milliseconds(900)) })
    #expect(try await isTold { try await cluster.put(name: "a", handler: "mail", schedule: .at(now - 60)) })
    let minutely = TimerSchedule.every(.seconds(60), starting: .aligned)
    #expect(try await isTold { try await cluster.put(name: "a", handler: "mail", schedule: minutely) })
    #expect(try await isTold { try await cluster.run("a") })
    #expect(try await isTold { try await cluster.backfill("a", in: now - 60...now) })
    #expect(try await isTold { try await cluster.retry("a") })
    #expect(try await isTold { try await cluster.resume("a") })
    #expect(try await isTold { try await cluster.resumeAll() })

    #expect(try await !isTold { try await cluster.put(handler: "mail", after: .seconds(2)) })
    #expect(
      try await !isTold { try await cluster.put(name: "a", handler: "mail", schedule: .at(now + 86_400)) })
    #expect(try await !isTold { try await cluster.pause("a") })
    #expect(try await !isTold { try await cluster.cancelRequests(of: "a") })
  }

  @Test func `A put in a transaction has the commit notify, and a store without a listener sends nothing`()
    async throws
  {
    let listening = PostgresTimerStore(schema: #"a "b""#, execute: execute) { _, _ in }
    for (store, end, count) in [
      (listening, #"::text FROM pg_notify('a "b"', '') 1"#, 2),
      (PostgresTimerStore(execute: execute), "::text 1", 1),
    ] {
      let cluster = TimerCluster(store: store, scheduler: TimerScheduler())
      try await cluster.put(handler: "mail") { [execute] in try await execute($0, $1) }
      #expect(statements.entries.last?.hasSuffix(end) == true)
      let before = statements.entries.count
      try await cluster.put(handler: "mail")
      #expect(statements.entries.count == before + count)
    }
  }

  @Test func `A listener that returns has failed, and without one there is nothing to watch`() async throws {
    let store = PostgresTimerStore(execute: execute) { channel, notified in
      if channel == "timers" { notified() }
    }
    let told = Counter()
    let error = await #expect(throws: (any Error).self) { try await store.watch { told.add() } }
    #expect("\(try #require(error))".contains("the end of the notifications"))
    #expect(told.value == 1)
    try await PostgresTimerStore(execute: execute).watch {}
  }
}
