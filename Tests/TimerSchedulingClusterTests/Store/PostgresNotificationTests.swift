import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingCluster

/// When a store in PostgreSQL tells replicas of jobs that may be due.
@Suite(.limited, .guarantee("G170")) struct PostgresNotificationTests {
  private struct Lost: Error {}

  /// The statements that were run, without notifications and those for the schema's comment.
  private let statements = Journal<String>()
  private let notifications = Journal<String>()

  private var execute: @Sendable (String, [String?]) async throws -> [[String?]] {
    { [statements, notifications] sql, parameters in
      if sql.contains("obj_description") { return [["TimerScheduling 3, for programs since 3"]] }
      let isNotification = sql.hasPrefix("SELECT pg_notify")
      (isNotification ? notifications : statements).note("\(sql) \(parameters.count)")
      if isNotification { throw Lost() }
      return [[#"{"now": 1, "found": true, "isRetried": true, "isPut": true}"#]]
    }
  }

  @Test func `A request that may make jobs due is followed by a notification, whose failure is ignored`()
    async throws
  {
    let cluster = TimerCluster(
      store: PostgresTimerStore(schema: #"a "b""#, execute: execute) { _, _ in },
      scheduler: TimerScheduler())
    let now = Date()
    try await cluster.put(handler: "mail", after: .seconds(2))
    try await cluster.put(name: "a", handler: "mail", schedule: .at(now + 86_400))
    try await cluster.pause("a")
    try await cluster.cancelRequests(of: "a")

    let minutely = TimerSchedule.every(.seconds(60), starting: .aligned)
    let telling: [() async throws -> Void] = [
      { try await cluster.put(handler: "mail") },
      { try await cluster.put(handler: "mail", after: .milliseconds(900)) },
      { try await cluster.put(name: "a", handler: "mail", schedule: .at(now - 60)) },
      { try await cluster.put(name: "a", handler: "mail", schedule: minutely) },
      { try await cluster.run("a") },
      { try await cluster.backfill("a", in: now - 60...now) },
      { try await cluster.retry("a") },
      { try await cluster.resume("a") },
      { try await cluster.resumeAll() },
    ]
    for tell in telling {
      try await tell()
      await notifications.next()
    }
    #expect(notifications.entries == Array(repeating: "SELECT pg_notify($1, '') 1", count: telling.count))
  }

  @Test func `A put in a transaction has the commit notify, and a store without a listener sends nothing`()
    async throws
  {
    let listening = PostgresTimerStore(schema: #"a "b""#, execute: execute) { _, _ in }
    for (store, end) in [
      (PostgresTimerStore(execute: execute), "::text 1"),
      (listening, #"::text FROM pg_notify('a "b"', '') 1"#),
    ] {
      let cluster = TimerCluster(store: store, scheduler: TimerScheduler())
      try await cluster.put(handler: "mail") { [execute] in try await execute($0, $1) }
      #expect(statements.entries.last?.hasSuffix(end) == true)
      try await cluster.put(handler: "mail")
    }
    await notifications.next()
    #expect(notifications.entries.count == 1)
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
