import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingCluster
import TimerSchedulingTesting

/// Jobs that are due together, and what the observer is told.
extension SemanticsTests {
  @Test(
    "Jobs that are due together are claimed and ended together, by any number of replicas", .guarantee("G162")
  )
  func batches() async throws {
    let replicas = ["a", "b", "c"].map { makeReplica($0) }
    for replica in replicas {
      for number in 1...100 {
        replica.schedule(name: "\(number)") { [clock] _ in try await clock.sleep(for: .seconds(1)) }
      }
    }
    await clock.advance(by: .seconds(59))
    let before = replicas.map { ($0.store.claims.count, $0.store.ends) }
    await clock.advance(by: .seconds(2))
    #expect(try await store.jobs().map(\.doneCount) == Array(repeating: 1, count: 100))
    let claims = zip(replicas, before).map { $0.store.claims.count - $1.0 }.reduce(0, +)
    let ends = zip(replicas, before).map { $0.store.ends - $1.1 }.reduce(0, +)
    // Each replica claims at the date, and those that have got rows once more when these are over.
    #expect((3...9).contains(claims))
    #expect((1...6).contains(ends))
  }

  @Test("Of many replicas with one job, those that have lost come later, and don't ask for each date")
  func manyReplicas() async throws {
    let replicas = (1...20).map { makeReplica("\($0)") }
    let begins = Journal<Double>()
    for replica in replicas {
      replica.schedule(.every(.seconds(1), starting: .aligned)) { [clock, start] _ in
        begins.note(clock.date.timeIntervalSince(start))
      }
    }
    await clock.advance(by: .seconds(10.5))
    func questions() -> Int { replicas.map { $0.store.claims.count + $0.store.ends }.reduce(0, +) }
    let (before, asked) = (begins.entries.count, questions())
    await clock.advance(by: .seconds(60))
    #expect(begins.entries.dropFirst(before) == (11...70).map { Double($0) }[...])
    // If each asked once a date, and one ended the run, there would be 21 a date. There are 16.
    #expect(questions() - asked < 18 * 60)
    // When the one that has won dies, another comes within a tenth of the lease.
    let last = try #require(try await store.history(of: "job", limit: 1).first?.replica)
    let winner = try #require(replicas.first { $0.name == last })
    await clock.advance(by: .seconds(0.3))
    winner.die()
    await clock.advance(by: .seconds(3))
    let next = try #require(begins.entries.first { $0 > 70 })
    #expect((71...72.5).contains(next))
  }

  // seconds   4       6   6.5       8    9.5  10
  // winner    ├─ run ─┤   dies
  // loser     asks                  ├─asks─┤  would look again
  @Test("A replica that has lost a date to a run under way asks for the next one in time")
  func lostDate() async throws {
    let replicas = ["a", "b"].map { makeReplica($0) }
    let begins = Journal<Double>()
    for replica in replicas {
      replica.schedule(.every(.seconds(4), starting: .aligned)) { [clock, start] _ in
        begins.note(clock.date.timeIntervalSince(start))
        try await clock.sleep(for: .seconds(2))
      }
    }
    await clock.advance(by: .seconds(6.5))
    let winner = try #require(try await store.history(of: "job", limit: 1).first?.replica)
    try #require(replicas.first { $0.name == winner }).die()
    await clock.advance(by: .seconds(5))
    #expect(begins.entries.first == 4)
    #expect((8...9.5).contains(try #require(begins.entries.dropFirst().first)))
  }

  @Test("More rows than a claim brings are claimed at once, one claim after the other")
  func limit() async throws {
    let replica = makeReplica("a")
    for number in 1...1_100 {
      replica.schedule(name: "\(number)") { [clock, journal] run in
        if clock.date == run.scheduledDate { journal.note(run.name) }
      }
    }
    await clock.advance(by: .seconds(60))
    #expect(Set(journal.entries).count == 1_100)
    #expect(replica.store.claims.compactMap(\.answer).filter { $0.runs.count == 100 }.count >= 22)
  }

  @Test("A run that was abandoned is an event of the replica that has its row", .guarantee("G163"))
  func takeover() async throws {
    let failures = FailureLog()
    let first = replica("a")
    await clock.advance(by: .seconds(62))
    first.die()
    let second = makeReplica("b", observer: failures)
    schedule(on: second, ifAbandoned: .leave)
    await clock.advance(by: .seconds(20))
    #expect(
      failures.failures == [
        "Replica \"a\" has abandoned a run of \"job\", as it has died, was cut off or has cancelled it. Run 3 has its row now.",
        "\"job\" isn't begun any more for 2001-01-01 00:01:00 +0000: its attempts are used up.",
      ])
  }

  @Test(
    "When the store's clock is set, the observer is told, and dates come by the new time", .guarantee("G163"))
  func storeClockSet() async throws {
    let (ahead, failures) = (Journal<Double>(), FailureLog())
    let store = MemoryTimerStore { [clock] in clock.date + (ahead.entries.last ?? 0) }
    let replica = makeReplica("a", store: store, observer: failures)
    replica.schedule { [clock, journal, start] run in
      journal.note(
        "\(Int(run.scheduledDate.timeIntervalSince(start))) at \(Int(clock.date.timeIntervalSince(start)))")
    }
    await clock.advance(by: .seconds(61))
    ahead.note(90)
    await clock.advance(by: .seconds(39))
    // It was 156 by the store's clock when the replica asked the next time.
    #expect(journal.entries == ["60 at 60", "120 at 66", "180 at 90"])
    #expect(failures.failures == ["The store's clock was set ahead by 90.0 seconds."])
    ahead.note(-60)
    await clock.advance(by: .seconds(15))
    #expect(failures.failures.last == "The store's clock was set back by 150.0 seconds.")
  }

  // The lock is held while the store is asked the first time, and later again.
  @Test("A wait for a lock isn't a clock that was set, and doesn't change when dates are run")
  func lockWait() async throws {
    struct LockedStore: TimerStore {
      let store: MemoryTimerStore
      let clock: VirtualClock
      let lockEnd: @Sendable () -> Date

      func perform(_ request: StoreRequest) async throws -> StoreAnswer {
        while clock.date < lockEnd() { try await clock.sleep(for: .seconds(0.5)) }
        return try await store.perform(request)
      }
    }
    let lockEnds = Journal<Date>()
    lockEnds.note(start + 4)
    let (failures, store) = (FailureLog(), store)
    var configuration = TimerScheduler.Configuration.silent
    configuration.observer = failures
    let scheduler = TimerScheduler(clock: clock, configuration: configuration)
    let cluster = TimerCluster(
      store: LockedStore(store: store, clock: clock) { lockEnds.entries.last ?? .distantPast },
      scheduler: scheduler)
    cluster.schedule(.every(.seconds(60), starting: .aligned), name: "job") { [clock, journal, start] run in
      journal.note(
        "\(Int(run.scheduledDate.timeIntervalSince(start))) at \(clock.date.timeIntervalSince(start))")
    }
    for _ in 0..<4 {
      await clock.advance(by: .seconds(55))
      lockEnds.note(clock.date + 4)
      await clock.advance(by: .seconds(5))
    }
    #expect(failures.failures.isEmpty)
    #expect(journal.entries == (1...4).map { "\($0 * 60) at \(Double($0 * 60))" })
    await scheduler.shutdownAndWait()
  }

  @Test("A row that a replica has claimed for a timer that is paused then is left to others")
  func pausedBetween() async throws {
    let first = makeReplica("a")
    let handle = schedule(on: first, ifAbandoned: .leave)
    await clock.advance(by: .seconds(59))
    first.store.answerDelay = { handle.pause() }
    await clock.advance(by: .seconds(2))
    replica("b")
    await clock.advance(by: .seconds(20))
    #expect(journal.entries.map { $0.prefix(6) } == ["b 60.1"])
  }

  // The first replica's run waits for a moment that doesn't come.
  @Test("A row that a replica has claimed for a run that is paused before it begins is left to others")
  func pausedRun() async throws {
    let first = makeReplica("a")
    let schedule = TimerSchedule.every(.seconds(60), starting: .aligned).jitter(upTo: .seconds(1_000_000_000))
    first.schedule(schedule) { [journal] _ in journal.note("a") }
    await clock.advance(by: .seconds(61))
    await first.scheduler.pauseAll()
    replica("b")
    await clock.advance(by: .seconds(20))
    #expect(journal.entries.map { $0.prefix(6) } == ["b 60.1"])
  }

  @Test("An end that the store refuses doesn't hold up those of other jobs")
  func poison() async throws {
    let replica = makeReplica("a")
    for name in ["bad", "good", "fine"] {
      replica.schedule(name: name) { [clock] _ in
        try await clock.sleep(for: .seconds(1))
        if name == "bad" { throw CancellationError() }
      }
    }
    replica.store.refusesEnd = { $0.outcome == .failed }
    await clock.advance(by: .seconds(65))
    let history = try await store.history(of: nil, limit: 10)
    #expect(
      Dictionary(history.map { ($0.job, $0.outcome) }) { $1 } == [
        "bad": .running, "good": .done, "fine": .done,
      ])
  }
}
