import Foundation
import Synchronization
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingCluster
import TimerSchedulingTesting

/// What operators do: runs besides the dates, retries, cancellations and pauses.
extension JobTests {
  @Test func `A run now and one of an old date come besides the dates of the schedule`() async throws {
    let replica = replica("a")
    try await replica.cluster.put(name: "job", handler: "report", schedule: minutely)
    await clock.advance(by: .seconds(70))
    try await replica.cluster.run("job")
    await clock.advance(by: .seconds(5))
    try await replica.cluster.run("job", for: start - 3_600)
    await clock.advance(by: .seconds(50))
    #expect(attempts == ["60.1 at 60", "70.1 at 70", "-3600.1 at 75", "120.1 at 120"])
    let runs = try await replica.cluster.history(of: "job")
    #expect(runs.map(\.isAsked) == [false, true, true, false])
    #expect(try await replica.cluster.jobs().map(\.lastDate) == [StoreTime(start + 120)])
    let error = await #expect(throws: ClusterError.self) { try await replica.cluster.run("none") }
    #expect(error?.description.contains("no job") == true)
    replica.die()
  }

  @Test func `A run that is asked for during a run and when a date is due comes after both`() async throws {
    let replica = replica("a", work: .seconds(30))
    try await replica.cluster.put(name: "job", handler: "report", schedule: minutely)
    await clock.advance(by: .seconds(100))
    try await replica.cluster.run("job", for: start)
    try await replica.cluster.run("job", for: start + 1)
    await clock.advance(by: .seconds(90))
    // The first lasts until 130, so the date at 120 comes before the second.
    #expect(attempts == ["60.1 at 60", "0.1 at 100", "120.1 at 130", "1.1 at 160", "180.1 at 190"])
    replica.die()
  }

  @Test func `A backfill runs each date of a range in order, whatever replica dies meanwhile`() async throws {
    let again = AbandonedRunBehavior.runAgain(attempts: 2)
    let replicas = ["a", "b"].map { replica($0, ifAbandoned: again) }
    try await replicas[0].cluster.put(
      name: "job", handler: "report", schedule: .every(.seconds(600), starting: .aligned))
    await clock.advance(by: .seconds(10))
    try await replicas[0].cluster.backfill("job", in: start - 3_000...start - 600)
    await clock.advance(by: .seconds(2.5))
    let runner = try #require(try await store.jobs().first?.run?.replica)
    replicas.first { $0.name == runner }?.die()
    await clock.advance(by: .seconds(60))
    let dates = attempts.compactMap { $0.split(separator: ".").first }
    #expect(dates == ["-3000", "-2400", "-1800", "-1800", "-1200", "-600"])
    #expect(try await store.jobs().map(\.doneCount) == [5])
    #expect(try await store.jobs().map(\.abandonedCount) == [1])
    for replica in replicas { replica.die() }
  }

  @Test func `A failed date is tried again after the back-off, and the next dates wait`() async throws {
    let retry = FailedRunBehavior.retry(
      attempts: 4, backoff: .exponential(from: .seconds(10), upTo: .seconds(15)))
    let replica = replica("a", ifFailed: retry, working: 90)
    try await replica.cluster.put(name: "job", handler: "report", schedule: minutely)
    await clock.advance(by: .seconds(150))
    // 10, 15 and 15 seconds after the ends.
    #expect(attempts == ["60.1 at 60", "60.2 at 71", "60.3 at 87", "60.4 at 103", "120.1 at 120"])
    let outcomes = try await replica.cluster.history(of: "job").map(\.outcome)
    #expect(outcomes == [.done, .done, .failed, .failed, .failed])
    replica.die()
  }

  @Test func `A failed date is tried again at the moment that the store has, however late its answer came`()
    async
  {
    let replica = TestReplica("a", clock: clock, store: store)
    replica.store.delayEnds { [clock] in try await clock.sleep(for: .seconds(2)) }
    replica.scheduler.schedule(
      .at(start + 60), name: "once", in: replica.cluster,
      ifFailed: .retry(attempts: 2, backoff: .constant(.seconds(5)))
    ) { [clock, journal, start] run in
      journal.note("once \(run.attempt) at \(Int(clock.date.timeIntervalSince(start)))")
      throw Broken()
    }
    await clock.advance(by: .seconds(80))
    #expect(attempts == ["1 at 60", "2 at 65"])
    replica.die()
  }

  @Test func `A retry outlives its replica, and ends with the attempts`() async throws {
    let retry = FailedRunBehavior.retry(attempts: 2, backoff: .constant(.seconds(20)))
    let (first, second) = (
      replica("a", ifFailed: retry, working: 1_000), replica("b", ifFailed: retry, working: 1_000)
    )
    try await first.cluster.put(
      name: "job", handler: "report", schedule: .at(start + 60))
    await clock.advance(by: .seconds(65))
    let runner = try #require(try await first.cluster.history(of: "job").first?.replica)
    (runner == "a" ? first : second).die()
    await clock.advance(by: .seconds(100))
    #expect(attempts == ["60.1 at 60", "60.2 at 81"])
    #expect(try await store.jobs().map(\.nextDate) == [nil])
    for replica in [first, second] { replica.die() }
  }

  @Test func `A date that was abandoned isn't tried again because failures are`() async throws {
    let retry = FailedRunBehavior.retry(attempts: 5, backoff: .constant(.seconds(1)))
    let (first, second) = (replica("a", ifFailed: retry), replica("b", ifFailed: retry))
    try await first.cluster.put(name: "job", handler: "report", schedule: minutely)
    await clock.advance(by: .seconds(60.5))
    let runner = try #require(try await store.jobs().first?.run?.replica)
    (runner == "a" ? first : second).die()
    await clock.advance(by: .seconds(50))
    #expect(attempts == ["60.1 at 60"])
    for replica in [first, second] { replica.die() }
  }

  @Test func `A run is cancelled on whichever replica it is, is recorded, and isn't tried again`()
    async throws
  {
    let retry = FailedRunBehavior.retry(attempts: 5, backoff: .constant(.seconds(1)))
    let replicas = ["a", "b"].map { replica($0, ifFailed: retry, work: .seconds(50)) }
    try await replicas[0].cluster.put(name: "job", handler: "report", schedule: minutely)
    await clock.advance(by: .seconds(61))
    for replica in replicas.prefix(1) { try await replica.cluster.cancelRun(of: "job", by: "ann") }
    await clock.advance(by: .seconds(6))
    let record = try #require(try await store.history(of: "job", limit: 1).first)
    #expect(record.outcome == .failed && record.failure?.contains("cancelled by ann") == true)
    await clock.advance(by: .seconds(40))
    #expect(attempts == ["60.1 at 60"])
    let error = await #expect(throws: ClusterError.self) {
      try await replicas[0].cluster.cancelRun(of: "job")
    }
    #expect(error?.description.contains("\"job\"") == true)
    for replica in replicas { replica.die() }
  }

  @Test func `All jobs are paused and resumed by one call, with who and why`() async throws {
    let replica = replica("a")
    for name in ["one", "two"] {
      try await replica.cluster.put(name: name, handler: "report", schedule: minutely)
    }
    try await replica.cluster.pause(nil, by: "ann", reason: "a move")
    #expect(try await replica.cluster.jobs().map(\.pausedBy) == ["ann", "ann"])
    #expect(try await replica.cluster.jobs().map(\.pauseReason) == ["a move", "a move"])
    await clock.advance(by: .seconds(130))
    #expect(attempts.isEmpty)
    try await replica.cluster.resume(nil, by: "bob")
    await clock.advance(by: .seconds(60))
    #expect(attempts == ["180.1 at 180", "180.1 at 180"])
    replica.die()
  }

  @Test func `Records beyond the limits of a history go by themselves, in slices`() async throws {
    let scheduler = TimerScheduler(clock: clock)
    let cluster = TimerCluster(store: store, replica: "a", historyAge: .seconds(600), historyCount: 3)
    cluster.handle("report", on: scheduler) { _ in }
    try await cluster.put(name: "job", handler: "report", schedule: minutely)
    await clock.advance(by: .seconds(400))
    let counted = try await cluster.history(of: "job").compactMap(\.scheduledDate)
    #expect((3...4).contains(counted.count))
    #expect(counted.first == StoreTime(start + 360))
    try await cluster.pause("job")
    await clock.advance(by: .seconds(700))
    #expect(try await cluster.history(of: "job").isEmpty)
    await scheduler.shutdownAndWait()
  }
}
