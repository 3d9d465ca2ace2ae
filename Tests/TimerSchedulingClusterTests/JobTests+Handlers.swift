import Foundation
import Synchronization
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingCluster
import TimerSchedulingTesting

/// The timers of handlers and of their runs, and what keeps a replica from claiming jobs that were put.
extension JobTests {
  @Test func `A job doesn't end the program's timer of its name`() async throws {
    let replica = replica("a")
    let beats = Mutex(0)
    let beat = replica.scheduler.schedule(.every(.seconds(10)), name: "heartbeat") { _ in
      beats.withLock { $0 += 1 }
    }
    try await replica.cluster.put(name: "heartbeat", handler: "report", schedule: minutely)
    await clock.advance(by: .seconds(125))
    #expect(attempts.count == 2)
    #expect(beats.withLock(\.self) == 12)
    #expect(beat.state == .scheduled)
  }

  @Test func `A handler that is replaced leaves no timer, and cancelling it ends it`() async throws {
    let replica = replica("a")
    let before = await replica.scheduler.snapshots.count
    let handlers = (1...3).map { number in
      replica.cluster.handle("report") { [journal] _ in journal.note("\(number)") }
    }
    #expect(handlers.map(\.state) == [.finished(.cancelled), .finished(.cancelled), .scheduled])
    #expect(await replica.scheduler.snapshots.count == before)
    try await replica.cluster.put(name: "job", handler: "report", schedule: minutely)
    await clock.advance(by: .seconds(61))
    #expect(journal.entries == ["3"])
    await handlers[2].cancelAndWait()
    await clock.advance(by: .seconds(120))
    #expect(journal.entries == ["3"])
  }

  // Fails if a claim brings more, or if the next claim waits for its time.
  @Test func `A handler has no more runs at a time than its limit, and goes on as soon as one ends`()
    async throws
  {
    let replica = replica("a", work: .seconds(10), limit: 2)
    let other = replica.cluster.handle("other", limit: 1) { [journal] run in journal.note("other 1 0") }
    for number in 0..<6 {
      try await replica.cluster.put(name: "\(number)", handler: "report", schedule: .at(start + 60))
    }
    try await replica.cluster.put(name: "later", handler: "other", schedule: .at(start + 61))
    await clock.advance(by: .seconds(85))
    #expect(
      attempts == ["60.1 at 60", "60.1 at 60", "1 0", "60.1 at 70", "60.1 at 70", "60.1 at 80", "60.1 at 80"])
    #expect(other.state == .scheduled)
  }

  @Test func `A run that takes longer than its limit fails, and is tried again`() async throws {
    let replica = makeReplica("a")
    let retry = FailedRunBehavior.retry(attempts: 2, backoff: .constant(.zero))
    let code = replica.cluster.schedule(.at(start + 60), name: "code", ifFailed: retry, timeout: .seconds(5))
    {
      [clock, journal, start] run in
      journal.note("code \(run.attempt) at \(Int(clock.date.timeIntervalSince(start)))")
      try await clock.sleep(for: .seconds(30))
    }
    let put = replica.cluster.handle("report", timeout: .seconds(5), ifFailed: .leave) { [clock] _ in
      try await clock.sleep(for: .seconds(30))
    }
    try await replica.cluster.put(name: "job", handler: "report", schedule: .at(start + 60))
    await clock.advance(by: .seconds(100))
    #expect(attempts == ["1 at 60", "2 at 65"])
    #expect(code.failure is TimeoutError && put.failure is TimeoutError)
    let history = try await store.history(of: nil, limit: 10)
    #expect(history.map(\.outcome) == [.failed, .failed, .failed])
    #expect(history.allSatisfy { $0.failure?.isEmpty == false })
  }

  @Test func `Timers of the program and of a cluster that have the same name leave each other alone`()
    async throws
  {
    let replica = replica("a")
    let name = "handler report"
    let timers = [name, "report: put", "put", "job"].map {
      replica.scheduler.schedule(.every(3600), name: $0) { _ in }
    }
    let jobs = (0..<2).map { number in
      replica.schedule(name: "job") { [journal] _ in journal.note("\(number)") }
    }
    try await replica.cluster.put(name: "put", handler: "report", schedule: minutely)
    await clock.advance(by: .seconds(61))
    #expect(timers.allSatisfy { $0.state == .scheduled })
    #expect(replica.scheduler.timer(named: "job")?.id == timers[3].id)
    // The second of a name takes the place of the first.
    #expect(jobs.map(\.state) == [.finished(.cancelled), .scheduled])
    #expect(Set(journal.entries) == ["1", "put  60.1 at 60"])
  }

  @Test(arguments: [false, true])
  func `A run that goes on after its cancellation keeps its replica from running the job again`(isPut: Bool)
    async throws
  {
    // The clock doesn't see that the action waits.
    let clock = VirtualClock(settlingTimeout: .seconds(0.2))
    let store = MemoryTimerStore { clock.date }
    let replica = makeReplica("a", clock: clock, store: store)
    let other = TimerScheduler(clock: clock, configuration: .silent)
    let underWay = Mutex((now: 0, most: 0, count: 0))
    @Sendable func act(_ run: ClusterRun) async {
      underWay.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1), $0.count + 1) }
      _ = await Task { await other.schedule(.after(.seconds(90))) { _ in }.waitUntilFinished() }.value
      underWay.withLock { $0.now -= 1 }
    }
    if isPut {
      replica.cluster.handle("report", ifAbandoned: .runAgain(attempts: 3)) {
        await act($0)
      }
      try await replica.cluster.put(name: "job", handler: "report", schedule: minutely)
    } else {
      replica.schedule(ifAbandoned: .runAgain(attempts: 3)) { await act($0) }
    }
    await clock.advance(by: .seconds(61))
    replica.store.isReachable = false
    await clock.advance(by: .seconds(20))
    replica.store.isReachable = true
    await clock.advance(by: .seconds(30))
    #expect(underWay.withLock(\.most) == 1)
    await clock.advance(by: .seconds(60))
    #expect(underWay.withLock { ($0.most == 1 && $0.count == 2) })
  }

  @Test func `Runs of handlers that hang keep no job of the program from its dates, and are reported once`()
    async throws
  {
    let log = FailureLog()
    let replica = replica("a", work: .seconds(1_000_000), observer: log)
    let dates = Journal<String>()
    replica.schedule(name: "code") { [clock, start] _ in
      dates.note("\(Int(clock.date.timeIntervalSince(start)))")
    }
    for number in 0..<1_100 {
      try await replica.cluster.put(name: "\(number)", handler: "report", schedule: .at(start + 90))
    }
    await clock.advance(by: .seconds(250))
    #expect(dates.entries == ["60", "120", "180", "240"])
    #expect(journal.entries.count == 1_000)
    #expect(log.failures.count == 1 && log.failures.first?.contains("1,000 runs") == true)
  }

  @Test func `A scheduler that is paused runs no job that was put, and runs the newest date when resumed`()
    async throws
  {
    let replica = makeReplica("a")
    let report = replica.cluster.handle("report") { [journal] run in
      journal.note("\(run.name) \(Int(run.scheduledDate.timeIntervalSince(start))).\(run.attempt)")
    }
    replica.cluster.handle("other") { [journal] run in journal.note(run.name) }
    try await replica.cluster.put(name: "job", handler: "report", schedule: minutely)
    await clock.advance(by: .seconds(10))
    await replica.scheduler.pauseAll()
    await clock.advance(by: .seconds(120))
    #expect(journal.entries == [])
    await replica.scheduler.resumeAll()
    await clock.advance(by: .seconds(2))
    #expect(journal.entries.count == 1 && journal.entries[0].hasPrefix("job 120.1"))
    report.pause()
    try await replica.cluster.put(name: "second", handler: "other", schedule: .at(start + 180))
    await clock.advance(by: .seconds(60))
    #expect(journal.entries.dropFirst() == ["second"])
  }

  @Test func `Without an observer, an error that belongs to no run is printed as it is`() async throws {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      let clock = VirtualClock(settlingTimeout: .seconds(60))
      let cluster = TimerCluster(
        store: MemoryTimerStore(), scheduler: TimerScheduler(clock: clock))
      cluster.handle("report") { _ in }
      try await cluster.put(handler: "nobody")
      await clock.advance(by: .seconds(100))
    }
    let output = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    let lines = output.split(separator: "\n").filter { $0.contains("nobody") }
    #expect(lines.count == 1)
    #expect(lines.first?.hasPrefix("TimerScheduling: Jobs with the handler \"nobody\" are due") == true)
  }
}
