import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingCluster
import TimerSchedulingTesting

/// Leases that are hard to keep, and ends of runs that are hard to report.
extension SemanticsTests {
  @Test("A run survives a moment without the store at the time of a renewal", .guarantee("G160"))
  func failedRenewal() async throws {
    let replica = replica("a")
    // The run begins at 60, and is renewed at 65 and 70.
    for moment in [64.9, 69.9, 74.9] {
      await clock.advance(to: start + moment)
      replica.store.isReachable = false
      await clock.advance(by: .milliseconds(200))
      replica.store.isReachable = true
    }
    await clock.advance(to: start + 100)
    #expect(journal.entries == ["a 60.1 begins at 60, missed 0", "a 60.1 done"])
  }

  // seconds      60   65   70 71   76   81   86   91  95
  // runs         ├──────── of 20 jobs, at four dates ─┤
  // renewals          x    x  x    x    x    x    x
  @Test("The runs of a replica are renewed together, also after one of them was given up")
  func renewalsTogether() async throws {
    let replica = makeReplica("a")
    let jobs = (1...20).map { number in
      replica.schedule(
        .every(.seconds(60), starting: .aligned(offset: .seconds(number % 4 * 2))), name: "\(number)"
      ) { [clock] _ in try await clock.sleep(for: .seconds(29)) }
    }
    await clock.advance(by: .seconds(59))
    let (renewals, done) = (replica.store.renewals, try await store.jobs().map(\.doneCount).reduce(0, +))
    await clock.advance(by: .seconds(12))
    jobs[0].cancel()
    await clock.advance(by: .seconds(48))
    #expect(replica.store.renewals - renewals == 7)
    #expect(try await store.jobs().map(\.doneCount).reduce(0, +) - done == 19)
  }

  @Test("An end that the store refuses for good is an event, and doesn't keep the job", .guarantee("G160"))
  func refusedEnd() async throws {
    let failures = FailureLog()
    let replica = makeReplica("a", observer: failures)
    replica.schedule { [journal, start] run in
      journal.note("\(Int(run.scheduledDate.timeIntervalSince(start)))")
    }
    replica.store.refusesEnd = { $0.outcome == .done }
    await clock.advance(by: .seconds(200))
    #expect(journal.entries == ["60", "120", "180"])
    #expect(failures.failures.count { $0.contains("Refused") } == 3)
    #expect(failures.failures.count { $0.contains("Replica \"a\" has abandoned a run") } == 3)
    let outcomes = try await store.history(of: "job", limit: 10).map(\.outcome)
    #expect(outcomes.suffix(2) == [.abandoned, .abandoned])
    // A shutdown doesn't wait for longer than a lease.
    let end = Task { [scheduler = replica.scheduler] in await scheduler.shutdownAndWait() }
    await clock.advance(by: .seconds(20))
    await end.value
  }

  @Test("An error's text that the database can't hold is recorded in ASCII")
  func unstorableText() async throws {
    struct Broken: Error, CustomStringConvertible {
      var description: String { "kaputt: „ß“\n" }
    }
    let replica = makeReplica("a")
    replica.schedule { _ in throw Broken() }
    replica.store.refusesEnd = { $0.failure?.unicodeScalars.contains { !$0.isASCII } == true }
    await clock.advance(by: .seconds(70))
    let record = try #require(try await store.history(of: "job", limit: 1).first)
    #expect(record.outcome == .failed && record.failure == #"kaputt: \u{201E}\u{00DF}\u{201C}"# + "\n")
  }

  @Test("An action that goes on after the end of its run isn't cancelled")
  func workAfterFinish() async throws {
    let failures = FailureLog()
    let replica = makeReplica("a", observer: failures)
    replica.schedule { [clock, journal] run in
      try await run.finish { _, _ in [] }
      try await clock.sleep(for: .seconds(40))
      journal.note("done")
    }
    await clock.advance(by: .seconds(110))
    #expect(journal.entries == ["done"] && failures.failures.isEmpty)
    #expect(try await store.history(of: "job", limit: 10).map(\.outcome) == [.done])
  }

  @Test("The replica of a run that was cut off begins its date again")
  func cutOffReplica() async throws {
    let replica = replica("a", ifAbandoned: .runAgain(attempts: 2))
    await clock.advance(by: .seconds(61))
    replica.store.isReachable = false
    await clock.advance(by: .seconds(10))
    replica.store.isReachable = true
    await clock.advance(by: .seconds(48))
    #expect(
      journal.entries == [
        "a 60.1 begins at 60, missed 0", "a 60.1 cancelled at 70", "a 60.2 begins at 76, missed 0",
        "a 60.2 done",
      ])
  }

  @Test("A run that ignores its cancellation keeps its job from being claimed until it is over, and no other")
  func stubbornRun() async throws {
    let replica = makeReplica("a")
    for (name, offset) in [("job", 0), ("other", 20)] {
      replica.schedule(
        .every(.seconds(60), starting: .aligned(offset: .seconds(offset))), name: name,
        ifAbandoned: .runAgain(attempts: 2)
      ) { [clock, journal, start] run in
        journal.note("\(name) \(run.attempt) at \(Int(clock.date.timeIntervalSince(start)))")
        guard name == "job", run.attempt == 1 else { return }
        await Task { try? await clock.sleep(for: .seconds(40)) }.value
        try Task.checkCancellation()
      }
    }
    await clock.advance(by: .seconds(61))
    replica.store.isReachable = false
    await clock.advance(by: .seconds(10))
    replica.store.isReachable = true
    await clock.advance(by: .seconds(48))
    #expect(journal.entries == ["other 1 at 20", "job 1 at 60", "other 1 at 80", "job 2 at 100"])
    #expect(try await store.history(of: "job", limit: 1).first?.began == start + 100)
  }

  @Test("A run that was abandoned before a pause is begun again after it, also without a later date")
  func abandonedBeforePause() async throws {
    let replicas = ["a", "b"].map { makeReplica($0) }
    for replica in replicas {
      replica.schedule(.at(start + 60), name: "once", ifAbandoned: .runAgain(attempts: 2)) {
        [clock, journal] run in
        journal.note("\(replica.name) \(run.attempt)")
        try await clock.sleep(for: .seconds(10))
      }
    }
    await clock.advance(by: .seconds(62))
    let first = try #require(journal.entries.first)
    let (dead, living) = first.hasPrefix("a") ? (replicas[0], replicas[1]) : (replicas[1], replicas[0])
    dead.die()
    try await living.cluster.pause("once")
    await clock.advance(by: .seconds(3600))
    #expect(journal.entries.count == 1)
    try await living.cluster.resume("once")
    await clock.advance(by: .seconds(30))
    #expect(journal.entries == [first, "\(living.name) 2"])
    #expect(try await store.history(of: "once", limit: 10).map(\.outcome) == [.done, .abandoned])
  }

  @Test("A burst with no time to catch up runs the dates of a lease")
  func shortCatchUp() async throws {
    let replica = makeReplica("a")
    replica.cluster.schedule(
      .every(.seconds(5), starting: .aligned).missedTicks(.burst), name: "job", catchUp: .zero
    ) { [clock, journal, start] run in
      let date = Int(run.scheduledDate.timeIntervalSince(start))
      journal.note("\(date), missed \(run.missedCount)")
      // The next date is two seconds old when it is asked for.
      if date == 5 { try await clock.sleep(for: .seconds(7)) }
    }
    await clock.advance(by: .seconds(16))
    #expect(journal.entries == ["5, missed 0", "10, missed 0", "15, missed 0"])
    replica.store.isReachable = false
    await clock.advance(by: .seconds(100))
    replica.store.isReachable = true
    await clock.advance(by: .seconds(15))
    #expect(journal.entries.dropFirst(3).first == "105, missed 17")
    #expect(try await store.jobs().map { $0.doneCount + $0.missedCount } == [26])
  }

  @Test("A row that stays locked is an event", .guarantee("G163"))
  func lockedRow() async throws {
    let failures = FailureLog()
    var configuration = TimerScheduler.Configuration()
    configuration.observer = failures
    var alterations = AlteredStore.Alterations()
    alterations.claimed = { answer, _ in (answer.runs, answer.locked, answer.next) = ([], ["job"], answer.now)
    }
    let scheduler = TimerScheduler(clock: clock, configuration: configuration)
    let cluster = TimerCluster(
      store: AlteredStore(store: store, alterations: alterations), scheduler: scheduler, replica: "a")
    cluster.schedule(.every(.seconds(60), starting: .aligned), name: "job") { _ in }
    await clock.advance(by: .seconds(10))
    #expect(failures.failures.isEmpty)
    await clock.advance(by: .seconds(60))
    #expect(failures.failures.first?.contains("locked the row of the job \"job\"") == true)
    await scheduler.shutdownAndWait()
  }
}
