import Foundation
import Synchronization
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingCluster
import TimerSchedulingTesting

/// Steps of an action, and jobs that are put as others are given up.
extension JobTests {
  private struct Charge: Codable, Equatable {
    var number: Int
  }

  @Test func `A later attempt gets the results of steps, and does the others`() async throws {
    let retry = FailedRunBehavior.retry(attempts: 5, backoff: .constant(.seconds(10)))
    let cluster = makeReplica("a").cluster
    let calls = Mutex<[String: Int]>([:])
    @Sendable func call(_ name: String) -> Int {
      calls.withLock { calls in
        calls[name, default: 0] += 1
        return calls[name, default: 0]
      }
    }
    cluster.handle("order", ifFailed: retry) { [journal] run in
      let charge = try await run.step("charge") { Charge(number: call("charge")) }
      try await run.step("mail") { if call("mail") < 3 { throw Broken() } }
      let text = try await run.step("text") { "\(call("text"))" }
      // Twice in an attempt it is the same step.
      let again = try await run.step("text") { "\(call("text"))" }
      let none = try await run.step("none") { Int?.none }
      journal.note("\(run.attempt): \(charge.number) \(text) \(again) \(none as Any)")
      if run.attempt < 4 { throw Broken() }
    }
    try await cluster.put(name: "job", handler: "order", schedule: minutely)
    await clock.advance(by: 115)
    #expect(journal.entries == ["3: 1 1 1 nil", "4: 1 1 1 nil"])
    #expect(calls.withLock(\.self) == ["charge": 1, "mail": 3, "text": 1])
    // The next date does them again.
    await clock.advance(by: 65)
    #expect(calls.withLock(\.self) == ["charge": 3, "mail": 5, "text": 3])
  }

  @Test func `A run that was taken over keeps no result, and its successor does the step`() async throws {
    let journal = journal
    let first = makeReplica("a")
    @Sendable func handle(_ replica: TestReplica, _ time: Duration) {
      replica.cluster.handle("order") { [clock] run in
        do {
          let name = try await run.step("charge") {
            // It goes on when it is cancelled.
            await Task { try? await clock.sleep(for: time) }.value
            return replica.name
          }
          journal.note("\(replica.name) has \(name)")
        } catch {
          journal.note("\(replica.name): \(error)")
          throw error
        }
      }
    }
    handle(first, .seconds(100))
    try await first.cluster.put(name: "job", handler: "order")
    await clock.advance(by: 1)
    // It is cut off for a while.
    first.store.isReachable = false
    handle(makeReplica("b"), .seconds(1))
    await clock.advance(by: 60)
    first.store.isReachable = true
    await clock.advance(by: 100)
    #expect(
      journal.entries == [
        "b has b",
        "a: Run 1 of \"job\" was taken over by another replica, so nothing of it may be written. Roll back.",
      ])
  }

  @Test func `A result that is too large isn't kept, and an error says so`() async throws {
    let observer = FailureLog()
    let cluster = makeReplica("a", observer: observer).cluster
    cluster.handle("order", ifFailed: .leave) { run in
      _ = try await run.step("small") { 1 }
      _ = try await run.step("large") { String(repeating: "x", count: 70_000) }
    }
    try await cluster.put(name: "job", handler: "order")
    await clock.advance(by: 1)
    #expect(observer.failures.count == 1)
    #expect(
      observer.failures.first?.hasPrefix(
        "With the result of the step \"large\", those of the date of \"job\"") == true)
  }

  @Test func `A step in a transaction is done once, also if the transaction is repeated`() async throws {
    let cluster = TimerCluster(store: store, scheduler: TimerScheduler(clock: clock))
    let count = Mutex(0)
    @Sendable func executeNow(_ sql: String, _ parameters: [String?]) throws -> [[String?]] { [] }
    @Sendable func book(_ run: ClusterRun) throws -> Int {
      try run.step("none", in: executeNow) { count.withLock { $0 += 10 } }
      return try run.step("book", in: executeNow) {
        count.withLock { $0 += 1 }
        return 7
      }
    }
    cluster.handle("order", ifFailed: .retry(attempts: 2, backoff: .constant(.seconds(1)))) { [journal] run in
      journal.note("\(try book(run)) \(try book(run))")
      let execute: TimerCluster.Execute = { _, _ in [] }
      let other = try await run.step("other", in: execute) { 8 }
      try await run.step("void", in: execute) { count.withLock { $0 += 100 } }
      journal.note("\(other)")
      if run.attempt == 1 { throw Broken() }
    }
    try await cluster.put(handler: "order")
    await clock.advance(by: 10)
    #expect(journal.entries == ["7 7", "8", "7 7", "8"])
    #expect(count.withLock(\.self) == 111)
  }

  // Each transaction of the first replica is its last: it is rolled back, or its commit isn't answered.
  @Test(arguments: [false, true])
  func `A step in a transaction is done exactly once, whichever transaction its replica dies in`(
    isCommitted: Bool
  ) async throws {
    for last in 1...8 {
      let connection = Mutex(try SQLiteConnection())
      let count = Mutex(0)
      @Sendable func transact(on replica: Int, _ body: (SQLiteTimerStore.Execute) throws -> Void) throws {
        let number = replica == 1 ? count.withLock { (count) -> Int in (count += 1, count).1 } : 0
        try connection.withLock { database in
          if number > last { throw Broken() }
          _ = try database.execute("BEGIN IMMEDIATE", [])
          do {
            try body(database.execute)
          } catch {
            _ = try database.execute("ROLLBACK", [])
            throw error
          }
          _ = try database.execute(number == last && !isCommitted ? "ROLLBACK" : "COMMIT", [])
          if number == last { throw Broken() }
        }
      }
      let schedulers = [1, 2].map { _ in TimerScheduler(clock: clock, configuration: .silent) }
      let clusters = [1, 2].map { replica in
        TimerCluster(
          store: SQLiteTimerStore { body in try transact(on: replica, body) },
          scheduler: schedulers[replica - 1])
      }
      @Sendable func handle(on replica: Int) {
        let retry = FailedRunBehavior.retry(attempts: 5, backoff: .constant(.seconds(1)))
        clusters[replica - 1].handle("order", ifAbandoned: .runAgain(attempts: 5), ifFailed: retry) {
          [journal] run in
          try transact(on: replica) { execute in
            try run.step("book", in: execute) {
              journal.note("\(replica)")
              _ = try execute("INSERT INTO booking VALUES (1)", [])
            }
          }
        }
      }
      _ = try connection.withLock { try $0.execute("CREATE TABLE booking (number INTEGER)", []) }
      handle(on: 1)
      try await clusters[1].put(name: "job", handler: "order")
      await clock.advance(by: .seconds(10))
      handle(on: 2)
      await clock.advance(by: .seconds(120))
      let bookings = try connection.withLock { try $0.execute("SELECT count(*) FROM booking", []) }
      #expect(bookings == [["1"]], "The last transaction was \(last).")
      #expect(try await clusters[1].jobs().isEmpty)
      for (scheduler, cluster) in zip(schedulers, clusters) {
        scheduler.driver.stop()
        cluster.companion.driver.stop()
      }
    }
    // Some have died before the step, and some after it.
    #expect(Set(journal.entries) == ["1", "2"])
    #expect((8..<16).contains(journal.entries.count))
  }

  @Test func `A date that is given up puts a job with its name, payload and failure`() async throws {
    let retry = FailedRunBehavior.retry(attempts: 2, backoff: .constant(.seconds(1)))
    let replica = makeReplica("a")
    let cluster = replica.cluster
    cluster.handle("mail", ifFailed: retry, ifGivenUp: .put("mail.dead")) { run in
      if run.payload != "good" { throw RunDecision.giveUp("no address") }
    }
    cluster.handle("mail.dead", as: GivenUpJob.self) { [journal] job, run in
      journal.note("\(job.name) with \(job.payload): \(job.failure)")
    }
    try await cluster.put(name: "good", handler: "mail", payload: "good")
    try await cluster.put(name: "bad", handler: "mail", payload: "it's")
    await clock.advance(by: 10)
    #expect(journal.entries == ["bad with it's: no address"])
    #expect(try await cluster.jobs().map(\.name) == ["bad"])
    // A date of a recurring job, and one that is too old.
    try await cluster.put(name: "each", handler: "mail", schedule: minutely, payload: "x")
    try await cluster.put(
      name: "old", handler: "mail", schedule: .at(start - 60), within: .seconds(30), payload: "x")
    await clock.advance(by: 60)
    #expect(
      Set(journal.entries.dropFirst()) == ["each with x: no address", "old with x: not begun in time"])
  }

  @Test func `A date whose replicas have died is given up after its attempts`() async throws {
    for name in ["a", "b"] {
      let replica = makeReplica(name)
      replica.cluster.handle("mail", ifAbandoned: .runAgain(attempts: 2), ifGivenUp: .put("dead")) {
        [clock] _ in
        try await clock.sleep(for: .seconds(1_000))
      }
      if name == "a" { try await replica.cluster.put(name: "poison", handler: "mail", payload: "p") }
      await clock.advance(by: 20)
      replica.die()
    }
    let last = makeReplica("c")
    last.cluster.handle("mail", ifAbandoned: .runAgain(attempts: 2), ifGivenUp: .put("dead")) { _ in }
    last.cluster.handle("dead", as: GivenUpJob.self) { [journal] job, _ in journal.note("\(job)") }
    await clock.advance(by: 60)
    #expect(
      journal.entries == [
        "\(GivenUpJob(name: "poison", payload: "p", failure: "abandoned by its replica"))"
      ])
  }
}
