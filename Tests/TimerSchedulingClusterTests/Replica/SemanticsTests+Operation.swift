import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingCluster
import TimerSchedulingTesting

/// Changes that a program or an operator makes.
extension SemanticsTests {
  @Test("A changed schedule owes no date older than its first registration")
  func changedSchedule() async {
    let first = replica("a")
    await clock.advance(by: .seconds(100))
    first.die()
    await clock.advance(by: .seconds(500))
    let second = makeReplica("b")
    second.schedule(.every(.seconds(45), starting: .aligned).missedTicks(.burst)) { [journal, start] run in
      journal.note("\(Int(run.scheduledDate.timeIntervalSince(start)))")
    }
    let before = journal.entries.count
    await clock.advance(by: .seconds(100))
    #expect(journal.entries.dropFirst(before) == ["630", "675"])
  }

  @Test("A job without a further date shows none")
  func lastDate() async throws {
    // The second replica starts when all is done, and asks whether a run was abandoned.
    for (name, expected) in [("a", [start + 60]), ("b", [nil])] as [(String, [Date?])] {
      let replica = makeReplica(name)
      replica.schedule(.at(start + 60), name: "once") { _ in }
      await clock.advance(by: .seconds(30))
      #expect(try await replica.cluster.jobs().map(\.nextDate) == expected)
      await clock.advance(by: .seconds(600))
      #expect(try await replica.cluster.jobs().map(\.nextDate) == [nil])
      #expect(try await replica.cluster.jobs().map(\.doneCount) == [1])
      replica.die()
    }
  }

  @Test(
    "Of two versions of a schedule the one registered last is run, and the other again once it is gone",
    .guarantee("G163"))
  func twoVersions() async throws {
    let failures = FailureLog()
    let replicas = [("a", 60), ("b", 90)].map { name, interval in
      let replica = makeReplica(name, observer: failures)
      replica.schedule(.every(.seconds(interval), starting: .aligned)) { [journal, start] run in
        journal.note("\(name) \(Int(run.scheduledDate.timeIntervalSince(start)))")
      }
      return replica
    }
    await clock.advance(by: .seconds(1))
    let newer = try #require(try await store.jobs().first?.schedule.hasPrefix("every 90 s") == true ? 1 : 0)
    await clock.advance(by: .seconds(369))
    let dates = newer == 1 ? ["b 90", "b 180", "b 270", "b 360"] : (1...6).map { "a \($0 * 60)" }
    #expect(journal.entries == dates)
    #expect(failures.failures.count { $0.contains("has another schedule at the store") } == 1)
    replicas[newer].die()
    await clock.advance(by: .seconds(200))
    #expect(journal.entries.dropFirst(dates.count).allSatisfy { $0.hasPrefix(newer == 1 ? "a" : "b") })
    #expect(journal.entries.count > dates.count)
  }

  @Test("A job that is paused runs no date, and owes none of the pause when it goes on")
  func pause() async throws {
    let replica = replica("a")
    await clock.advance(by: .seconds(100))
    try await replica.cluster.pause("job")
    await clock.advance(by: .seconds(200))
    #expect(journal.entries.count == 2)
    #expect(try await replica.cluster.jobs().first?.isPaused == true)
    try await replica.cluster.resume("job")
    await clock.advance(by: .seconds(100))
    #expect(journal.entries.suffix(2) == ["a 360.1 begins at 360, missed 0", "a 360.1 done"])
    await #expect(throws: ClusterError.self) { try await replica.cluster.pause("other") }
  }

  @Test("A handle pauses the job on its replica only")
  func pausedHandle() async {
    let (first, second) = (makeReplica("a"), replica("b"))
    let handle = schedule(on: first, ifAbandoned: .leave)
    handle.pause()
    await clock.advance(by: .seconds(100))
    #expect(journal.entries == ["b 60.1 begins at 60, missed 0", "b 60.1 done"])
    second.die()
    await clock.advance(by: .seconds(100))
    handle.resume()
    await clock.advance(by: .seconds(35))
    #expect(journal.entries.suffix(2) == ["a 180.1 begins at 200, missed 1", "a 180.1 done"])
    await handle.cancelAndWait()
    #expect(handle.state == .finished(.cancelled))
  }

  @Test("A run that outlasts its scheduler's shutdown keeps its lease to its end, and its session ends then")
  func shutdown() async throws {
    let first = replica("a")
    await clock.advance(by: .seconds(61))
    first.scheduler.shutdown()
    replica("b", ifAbandoned: .runAgain(attempts: 2))
    await clock.advance(by: .seconds(20))
    #expect(first.store.closes == 0)
    await clock.advance(by: .seconds(20))
    #expect(first.store.closes == 1)
    #expect(journal.entries == ["a 60.1 begins at 60, missed 0", "a 60.1 done"])
    #expect(try await store.history(of: "job", limit: 1).first?.outcome == .done)
    let questions = first.store.questions
    await clock.advance(by: .seconds(100))
    #expect(first.store.questions == questions)
  }
}
