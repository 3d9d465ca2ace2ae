import Foundation
import Synchronization
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingCluster
import TimerSchedulingTesting

/// An action that gives its date up, or has it run again.
extension JobTests {
  private struct Closed: Error {}

  @Test func `An action that gives up is begun no more, with its reason in the record and for the observer`()
    async throws
  {
    let observer = FailureLog()
    let replica = makeReplica("a", observer: observer)
    replica.cluster.handle("mail") { [journal] run in
      journal.note("\(run.attempt)")
      throw RunDecision.giveUp("no such address")
    }
    try await replica.cluster.put(name: "job", handler: "mail")
    await clock.advance(by: .seconds(10_000))
    #expect(journal.entries == ["1"])
    #expect(observer.failures == ["no such address"])
    #expect(try await replica.cluster.history().map(\.failure) == ["no such address"])
    #expect(try await replica.cluster.jobs().map(\.failedCount) == [1])
  }

  @Test func `An action that wants to be run again waits, and uses no attempt up`() async throws {
    let observer = FailureLog()
    let replica = makeReplica("a", observer: observer)
    let begun = Mutex(0)
    replica.cluster.schedule(.at(start + 60), name: "code", ifFailed: .leave) { [journal, clock, start] run in
      let count = begun.withLock { begun in
        begun += 1
        return begun
      }
      journal.note(
        "\(Int(run.scheduledDate.timeIntervalSince(start))).\(run.attempt) at \(Int(clock.date.timeIntervalSince(start)))"
      )
      if count < 4 { throw RunDecision.again(after: .seconds(600)) }
    }
    await clock.advance(by: .seconds(70))
    #expect(try await replica.cluster.jobs().first?.retry?.attempt == 1)
    #expect(try await replica.cluster.explain("code", at: start + 60).outcome == .retrying)
    await clock.advance(by: .seconds(10_000))
    #expect(journal.entries == ["60.1 at 60", "60.1 at 660", "60.1 at 1260", "60.1 at 1860"])
    #expect(observer.failures.isEmpty)
    let outcomes = try await replica.cluster.history().map(\.outcome)
    #expect(outcomes == [.done, .postponed, .postponed, .postponed])
    #expect(try await replica.cluster.jobs().map(\.failedCount) == [0])
    #expect(try await replica.cluster.explain("code", at: start + 60).outcome == .done)
  }

  @Test(arguments: [Duration.seconds(-1), .seconds(Int64.max)])
  func `A wait beyond its range counts as its bound`(wait: Duration) async throws {
    let replica = makeReplica("a")
    replica.cluster.handle("mail") { [journal] run in
      journal.note("\(run.attempt)")
      if journal.entries.count == 1 { throw RunDecision.again(after: wait) }
    }
    try await replica.cluster.put(name: "job", handler: "mail")
    await clock.advance(by: .seconds(100))
    #expect(journal.entries == (wait < .zero ? ["1", "1"] : ["1"]))
  }

  @Test func `An attempt knows the error of the one before`() async throws {
    let replica = makeReplica("a")
    let retry = FailedRunBehavior.retry(attempts: 3, backoff: .constant(.seconds(1)))
    replica.cluster.handle("mail", ifFailed: retry) { [journal] run in
      journal.note(run.previousFailure ?? "none")
      if run.attempt < 3 { throw Closed() }
    }
    try await replica.cluster.put(name: "job", handler: "mail")
    await clock.advance(by: .seconds(20))
    #expect(journal.entries == ["none", "Closed()", "Closed()"])
  }
}
