import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingCluster
import TimerSchedulingTesting

/// Runs that their own program cancels, and actions that end otherwise than their runs.
extension JobTests {
  @Test func `Shutdowns that cancel a long run use no attempt up, and are no failures`() async throws {
    let observer = FailureLog()
    try await makeReplica("web").cluster.put(name: "import", handler: "report")
    for number in 1...5 {
      let replica = replica(
        "r\(number)", ifAbandoned: .runAgain(attempts: 3), work: .seconds(100), observer: observer)
      await clock.advance(by: .seconds(10))
      let end = Task { await replica.scheduler.shutdownAndWait(grace: .seconds(5)) }
      await clock.advance(by: .seconds(10))
      await end.value
    }
    replica("last", ifAbandoned: .runAgain(attempts: 3), observer: observer)
    await clock.advance(by: .seconds(10))
    #expect(attempts == [0, 20, 40, 60, 80, 100].map { "0.1 at \($0)" })
    let history = try await store.history(of: "import", limit: 10)
    #expect(history.map(\.outcome) == [.done] + Array(repeating: .postponed, count: 5))
    let failures = Set(history.dropFirst().map(\.failure))
    #expect(failures == ["cancelled by its program: CancellationError()"])
    #expect(observer.failures.isEmpty)
    #expect(try await store.jobs().isEmpty)
  }

  @Test func `A run that is begun only once counts as abandoned when its program cancels it`() async throws {
    let observer = FailureLog()
    let replica = replica("a", work: .seconds(100), observer: observer)
    try await replica.cluster.put(name: "import", handler: "report")
    await clock.advance(by: .seconds(10))
    self.replica("b")
    let end = Task { await replica.scheduler.shutdownAndWait(grace: .zero) }
    await clock.advance(by: .seconds(60))
    await end.value
    #expect(attempts == ["0.1 at 0"])
    #expect(try await store.history(of: "import", limit: 10).map(\.outcome) == [.abandoned])
  }

  @Test func `The runs of a handler that is replaced are begun by its second action`() async throws {
    let observer = FailureLog()
    let replica = replica("a", ifAbandoned: .runAgain(attempts: 3), work: .seconds(100), observer: observer)
    try await replica.cluster.put((0..<3).map { NewJob(name: "j\($0)", handler: "report") })
    await clock.advance(by: .seconds(10))
    replica.cluster.handle("report") { [journal] run in journal.note("\(run.name) \(run.attempt)") }
    await clock.advance(by: .seconds(5))
    #expect(journal.entries.suffix(3).sorted() == ["j0 1", "j1 1", "j2 1"])
    #expect(observer.failures.isEmpty)
    #expect(try await store.jobs().isEmpty)
  }

  @Test func `An action that is cancelled may still give its date up or postpone it`() async throws {
    let replica = makeReplica("a")
    let handler = replica.cluster.handle("report") { [clock] run in
      do { try await clock.sleep(for: .seconds(100)) } catch {
        throw run.name == "up" ? RunDecision.giveUp("no more") : .again(after: .seconds(50))
      }
    }
    try await replica.cluster.put(["up", "later"].map { NewJob(name: $0, handler: "report") })
    await clock.advance(by: .seconds(10))
    handler.cancel()
    await clock.advance(by: .seconds(1))
    let jobs = try await store.jobs()
    #expect(jobs.map(\.name) == ["later", "up"] && jobs.map(\.failedCount) == [0, 1])
    #expect(jobs.map { $0.retry?.date } == [start + 60, nil])
  }

  @Test(arguments: [false, true])
  func `An error after the end of its run is none of the run's`(isCommitted: Bool) async throws {
    let observer = FailureLog()
    var configuration = TimerScheduler.Configuration.silent
    configuration.observer = observer
    let scheduler = TimerScheduler(clock: clock, configuration: configuration)
    let altered = AlteredStore(store: store, alterations: .init())
    let cluster = TimerCluster(store: altered, scheduler: scheduler, replica: "a")
    cluster.handle("report", ifFailed: .leave) { [store] run in
      try await run.finish { _, _ in
        if isCommitted {
          _ = try await store.end([
            RunEnd(
              token: run.token, outcome: .done, date: StoreTime(run.scheduledDate),
              through: StoreTime(run.scheduledDate),
              schedule: TimerSchedule.at(run.scheduledDate).description, missed: 0)
          ])
        }
        return [[#"{"now": 1, "verdicts": ["written"]}"#]]
      }
      throw Broken()
    }
    try await cluster.put(name: "job", handler: "report")
    await clock.advance(by: .seconds(10))
    // A transaction that was rolled back has written nothing.
    #expect(observer.failures == (isCommitted ? [] : ["Broken()"]))
    #expect(try await store.history(of: "job", limit: 10).map(\.outcome) == [isCommitted ? .done : .failed])
    await scheduler.shutdownAndWait()
  }

  @Test func `A run that goes on beyond its time limit is an event, once`() async throws {
    let observer = FailureLog()
    let replica = makeReplica("a", observer: observer)
    replica.cluster.handle("report", timeout: .seconds(1), ifFailed: .leave) { [clock] run in
      if run.name == "deaf" { await Task { try? await clock.sleep(for: .seconds(100)) }.value }
      try await clock.sleep(for: .seconds(5))
    }
    try await replica.cluster.put(["deaf", "fine"].map { NewJob(name: $0, handler: "report") })
    await clock.advance(by: .seconds(17))
    let report = try #require(observer.failures.last)
    #expect(observer.failures.count == 2)
    #expect(report.hasPrefix("Run 1 of \"deaf\" of the handler \"report\" goes on"))
    await clock.advance(by: .seconds(100))
    #expect(observer.failures.count == 3 && observer.failures[2].contains("took longer"))
  }

  @Test func `An action puts a job when it is cancelled`() async throws {
    let replica = makeReplica("a")
    replica.cluster.handle("report") { [clock] run in
      do { try await clock.sleep(for: .seconds(100)) } catch {
        try await replica.cluster.put(name: "rest of \(run.name)", handler: "rest")
      }
    }
    replica.cluster.handle("rest") { [journal] run in journal.note(run.name) }
    try await replica.cluster.put(name: "job", handler: "report")
    await clock.advance(by: .seconds(10))
    let end = Task { await replica.scheduler.shutdownAndWait(grace: .zero) }
    await clock.advance(by: .seconds(10))
    await end.value
    #expect(try await store.jobs().map(\.name) == ["rest of job"])
  }

  @Test func `A job that puts itself again is run when it is due, not at the next look`() async throws {
    let replica = makeReplica("a")
    replica.cluster.handle("chain") { [journal] run in
      journal.note("\(run.attempt)")
      try await replica.cluster.put(name: run.name, handler: "chain", after: .milliseconds(100))
    }
    try await replica.cluster.put(name: "chain", handler: "chain")
    await clock.advance(by: .milliseconds(5_950))
    #expect(journal.entries.count == 60)
  }

  @Test func `A job that another replica puts during its run is run again as soon as that is over`()
    async throws
  {
    let (runner, other) = (replica("a", work: .milliseconds(1_300)), replica("b", handler: nil))
    try await runner.cluster.put(name: "job", handler: "report")
    await clock.advance(by: .milliseconds(100))
    try await other.cluster.put(name: "job", handler: "report")
    // The replica looks each second, and not after 1.3 s otherwise.
    await clock.advance(by: .milliseconds(1_250))
    #expect(attempts.count == 2)
  }
}
