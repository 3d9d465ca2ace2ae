import Foundation
import Synchronization
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingCluster
import TimerSchedulingTesting

/// The rows of the table in `Documentation/Clusters.md`.
@Suite(.limited, .guarantee("G161")) struct SemanticsTests: ClusterSuite {
  let shared = TestCluster()
  /// Each begin and each end of a run, in order.
  let journal = Journal<String>()

  /// Starts a replica with a minute job that takes 30 s.
  @discardableResult
  func replica(
    _ name: String, ifAbandoned: AbandonedRunBehavior = .leave, missedTicks: MissedTickBehavior = .skip
  ) -> TestReplica {
    let replica = makeReplica(name)
    schedule(on: replica, ifAbandoned: ifAbandoned, missedTicks: missedTicks)
    return replica
  }

  @discardableResult
  func schedule(
    on replica: TestReplica, ifAbandoned: AbandonedRunBehavior, missedTicks: MissedTickBehavior = .skip
  ) -> ClusterRegistration {
    replica.schedule(
      .every(.seconds(60), starting: .aligned).missedTicks(missedTicks), ifAbandoned: ifAbandoned
    ) { [clock, journal, start] run in
      let label = "\(replica.name) \(Int(run.scheduledDate.timeIntervalSince(start))).\(run.attempt)"
      journal.note(
        "\(label) begins at \(Int(clock.date.timeIntervalSince(start))), missed \(run.missedCount)")
      do {
        try await clock.sleep(for: .seconds(30))
        try await run.finish { _, _ in [] }
        journal.note("\(label) done")
      } catch {
        let reason = if case ClusterError.runTakenOver = error { "taken over" } else { "cancelled" }
        journal.note("\(label) \(reason) at \(Int(clock.date.timeIntervalSince(start)))")
        throw error
      }
    }
  }

  @Test("A replica that dies before the claim is replaced by another at the date")
  func deathBeforeClaim() async {
    let first = replica("a")
    replica("b")
    await clock.advance(by: .seconds(50))
    first.die()
    await clock.advance(by: .seconds(50))
    #expect(journal.entries == ["b 60.1 begins at 60, missed 0", "b 60.1 done"])
  }

  @Test("A replica that dies during a run leaves it abandoned, and by default the date isn't begun again")
  func deathDuringRun() async throws {
    let first = replica("a")
    replica("b")
    await clock.advance(by: .seconds(62))
    first.die()
    await clock.advance(by: .seconds(100))
    #expect(
      journal.entries == [
        "a 60.1 begins at 60, missed 0", "a 60.1 cancelled at 62", "b 120.1 begins at 120, missed 0",
        "b 120.1 done",
      ])
    #expect(try await store.history(of: "job", limit: 10).map(\.outcome) == [.done, .abandoned])
    #expect(try await store.jobs().first?.abandonedCount == 1)
  }

  @Test(
    "Under runAgain another replica begins the date when the lease of one that dies or is cut off has ended",
    .guarantee("G159"), arguments: [false, true])
  func successor(isCutOff: Bool) async {
    let again = AbandonedRunBehavior.runAgain(attempts: 2)
    let first = replica("a", ifAbandoned: again)
    replica("b", ifAbandoned: again)
    await clock.advance(by: .seconds(61))
    if isCutOff { first.store.isReachable = false } else { first.die() }
    await clock.advance(by: .seconds(50))
    // A replica that has lost the race for a date comes up to a tenth of the lease later from then on.
    let begins = journal.entries.map { $0.replacing("begins at 76", with: "begins at 75") }
    // One that is cut off cancels its run after two thirds of the lease, before another begins.
    #expect(
      begins == [
        "a 60.1 begins at 60, missed 0", "a 60.1 cancelled at \(isCutOff ? 70 : 61)",
        "b 60.2 begins at 75, missed 0", "b 60.2 done",
      ])
  }

  @Test("A date is begun no more often than it has attempts")
  func attemptsEnd() async throws {
    for (name, death) in [("a", 62), ("b", 80), ("c", 90)] {
      let replica = replica(name, ifAbandoned: .runAgain(attempts: 2))
      await clock.advance(to: start + Double(death))
      replica.die()
    }
    #expect(journal.entries.filter { $0.contains("begins") }.count == 2)
    #expect(try await store.history(of: "job", limit: 10).map(\.attempt) == [2, 1])
  }

  @Test("A claim whose answer was lost is asked for again, and the date is begun once")
  func lostAnswer() async throws {
    let replica = replica("a")
    await clock.advance(by: .seconds(30))
    replica.store.lostAnswers = 2
    await clock.advance(by: .seconds(80))
    // The replica asks again for the lost answers after a tenth and a fifth of the lease.
    #expect(journal.entries == ["a 60.1 begins at 64, missed 0", "a 60.1 done"])
    // The first claim with a row settles that no date was due before the job was known.
    let claims = replica.store.claims.filter { $0.answer?.runs.isEmpty == false }.dropFirst().map(\.request)
    #expect(Set(claims.map(\.number)).count == 1 && claims.map(\.isRepeated) == [false, true, true])
    #expect(try await store.history(of: "job", limit: 10).count == 1)
  }

  @Test("A process that was paused beyond its lease finds its run taken over, and finishes nothing")
  func pausedProcess() async throws {
    let first = replica("a", ifAbandoned: .runAgain(attempts: 2))
    await clock.advance(by: .seconds(61))
    // Its time goes on, and another replica asks the store meanwhile, as if the lease had ended.
    first.store.isReachable = false
    await clock.advance(by: .seconds(8))
    let session = try #require(first.store.claims.last?.request.session)
    try await store.close(session: session)
    let other = UUID()
    let schedule = try #require(try await store.jobs().first?.schedule)
    _ = try await store.answer(
      SessionRegistration(
        session: other, replica: "b", lease: 600_000_000, serves: ["job": schedule], declares: []))
    let request = ClaimRequest(
      session: other, number: 1, isRepeated: false, limit: 1, lease: 600_000_000, except: [])
    let claim = try #require(try await store.answer(request).runs.first)
    first.store.isReachable = true
    await clock.advance(by: .seconds(5))
    #expect(claim.attempt == 2 && claim.abandonedBy == "a")
    #expect(journal.entries == ["a 60.1 begins at 60, missed 0", "a 60.1 cancelled at 69"])
    let ends = [claim.token - 1, claim.token].map {
      RunEnd(token: $0, outcome: .done, through: claim.until, schedule: schedule, missed: 0)
    }
    #expect(try await store.end(ends).verdicts == [.refused, .written])
  }

  @Test(
    "A replica whose wall clock is wrong by hours begins each date at the store's time", .guarantee("G158"))
  func wrongClock() async {
    let right = clock
    let wrong = VirtualClock(date: start + 7200)
    let store = MemoryTimerStore { right.date }
    let replica = makeReplica("a", clock: wrong, store: store)
    replica.schedule { [journal, start] run in
      journal.note(
        "\(Int(run.scheduledDate.timeIntervalSince(start))) at \(Int(right.date.timeIntervalSince(start)))")
    }
    for _ in 1...130 {
      await right.advance(by: .seconds(1))
      await wrong.advance(by: .seconds(1))
    }
    #expect(journal.entries == ["60 at 60", "120 at 120"])
  }

  @Test("A date at which the store is away is run when it is back, and the observer is told")
  func storeAway() async {
    let observer = FailureLog()
    let replica = makeReplica("a", observer: observer)
    schedule(on: replica, ifAbandoned: .leave)
    let others = Mutex(0)
    replica.scheduler.schedule(.every(.seconds(1))) { _ in others.withLock { $0 += 1 } }
    await clock.advance(by: .seconds(30))
    replica.store.isReachable = false
    await clock.advance(by: .seconds(60))
    replica.store.isReachable = true
    await clock.advance(by: .seconds(25))
    #expect(journal.entries.first?.hasPrefix("a 60.1 begins at ") == true)
    #expect(others.withLock(\.self) == 115)
    #expect(observer.failures.contains { $0.contains("Replica \"a\" can't ask the store") })
    // After 1.5, 3, 6, 12 and 15 seconds, and not all the time.
    #expect((4...8).contains(observer.failures.count))
  }

  @Test(
    "After all replicas were down, the newest date is run and the others are counted, or each is run in a burst"
  )
  func allDown() async throws {
    let first = replica("a")
    await clock.advance(by: .seconds(100))
    first.die()
    await clock.advance(by: .seconds(320))
    let second = replica("b")
    await clock.advance(by: .seconds(35))
    #expect(journal.entries.suffix(2) == ["b 420.1 begins at 420, missed 5", "b 420.1 done"])
    #expect(try await store.jobs().first?.missedCount == 5)
    second.die()
    await clock.advance(by: .seconds(165))
    replica("c", missedTicks: .burst)
    await clock.advance(by: .seconds(59))
    #expect(
      journal.entries.suffix(4).filter { $0.contains("begins") } == [
        "c 480.1 begins at 620, missed 0", "c 540.1 begins at 650, missed 0",
      ])
  }
}
