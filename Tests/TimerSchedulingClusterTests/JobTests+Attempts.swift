import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingCluster
import TimerSchedulingTesting

/// The attempts of a date: retries, cancellations, and ends that meet a locked row.
extension JobTests {
  @Test func `A failed date is tried again after the back-off, and the next dates wait`() async throws {
    let retry = FailedRunBehavior.retry(attempts: 4, backoff: .constant(.seconds(10)))
    let replica = replica("a", ifFailed: retry, working: 90)
    try await replica.cluster.put(name: "job", handler: "report", schedule: minutely)
    await clock.advance(by: .seconds(150))
    #expect(attempts == ["60.1 at 60", "60.2 at 71", "60.3 at 82", "60.4 at 93", "120.1 at 120"])
    let outcomes = try await replica.cluster.history(of: "job").map(\.outcome)
    #expect(outcomes == [.done, .done, .failed, .failed, .failed])
  }

  @Test func `Jobs that fail together are tried again at different times, up to the back-off's limit`()
    async throws
  {
    let retry = FailedRunBehavior.retry(
      attempts: 3, backoff: .exponential(from: .seconds(100), upTo: .seconds(1_000)))
    let replica = replica("a", ifFailed: retry, work: .zero, working: 1_000)
    for number in 0..<50 {
      try await replica.cluster.put(name: "\(number)", handler: "report", schedule: .at(start + 60))
    }
    await clock.advance(by: .seconds(1_000))
    let second = attempts.filter { $0.hasPrefix("60.2 ") }.compactMap { Int($0.dropFirst(8)) }
    let third = attempts.filter { $0.hasPrefix("60.3 ") }.compactMap { Int($0.dropFirst(8)) }
    #expect(second.count == 50 && Set(second).count > 20 && second.allSatisfy { (60...161).contains($0) })
    #expect(third.count == 50 && Set(third).count > 20 && third.allSatisfy { (60...362).contains($0) })
  }

  // Fails if each attempt is printed as the first error of a timer.
  @Test func `Only the first error of a job's attempts is printed`() async throws {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      let clock = VirtualClock(settlingTimeout: .seconds(60))
      let scheduler = TimerScheduler(clock: clock)
      let cluster = TimerCluster(store: MemoryTimerStore(), scheduler: scheduler)
      let retry = FailedRunBehavior.retry(attempts: 3, backoff: .constant(.seconds(1)))
      cluster.handle("report", ifFailed: retry) { _ in throw Broken() }
      for name in ["a", "b"] {
        try await cluster.put(name: name, handler: "report", schedule: .at(clock.date + 60))
      }
      await clock.advance(by: .seconds(100))
      let history = try await cluster.history(of: "a")
      #expect(history.count == 3)
    }
    let output = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(output.split(separator: "\n").count { $0.contains("Broken()") } == 2)
  }

  @Test func `Interceptors and observers get each attempt's error as it was thrown`() async throws {
    let (failures, caught) = (FailureLog(), Journal<Bool>())
    var configuration = TimerScheduler.Configuration.silent
    configuration.observer = failures
    configuration.interceptor = { _, body in
      do { try await body() } catch {
        caught.note(error is Broken)
        throw error
      }
    }
    let scheduler = TimerScheduler(clock: clock, configuration: configuration)
    let cluster = TimerCluster(store: store, scheduler: scheduler, replica: "a")
    let retry = FailedRunBehavior.retry(attempts: 3, backoff: .constant(.seconds(1)))
    cluster.handle("report", ifFailed: retry) { _ in throw Broken() }
    try await cluster.put(name: "job", handler: "report", schedule: .at(clock.date + 60))
    await clock.advance(by: .seconds(100))
    #expect(caught.entries == [true, true, true])
    #expect(failures.failures == ["Broken()", "Broken()", "Broken()"])
    await scheduler.shutdownAndWait()
  }

  // Fails if the error of a later attempt is thrown in another.
  @Test func `A later attempt that ends because it was cancelled hasn't failed`() async throws {
    let scheduler = TimerScheduler(clock: clock, configuration: .silent)
    let cluster = TimerCluster(store: store, scheduler: scheduler, replica: "a")
    let retry = FailedRunBehavior.retry(attempts: 3, backoff: .constant(.seconds(1)))
    let registration = cluster.handle("report", ifFailed: retry) { [clock] _ in
      try await clock.sleep(for: .seconds(30))
      throw Broken()
    }
    try await cluster.put(name: "job", handler: "report", schedule: .at(clock.date + 60))
    await clock.advance(by: .seconds(70))
    #expect(registration.failure == nil)
    await clock.advance(by: .seconds(30))
    #expect(registration.failure is Broken)
    await registration.cancelAndWait()
    #expect(registration.failure is Broken)
    #expect(registration.state == .finished(.cancelled))
    await scheduler.shutdownAndWait()
  }

  // Fails if a success between two errors has the second one printed, too.
  @Test func `Only the first error of a job that also succeeds is printed, until it is over`() async throws {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      let clock = VirtualClock(settlingTimeout: .seconds(60))
      let scheduler = TimerScheduler(clock: clock)
      let cluster = TimerCluster(store: MemoryTimerStore(), scheduler: scheduler)
      let retry = FailedRunBehavior.retry(attempts: 2, backoff: .constant(.seconds(1)))
      cluster.handle("report", ifFailed: retry) { run in
        if run.attempt == 1 { throw Broken() }
      }
      try await cluster.put(
        name: "often", handler: "report", schedule: .every(.seconds(60), starting: .aligned))
      for _ in 0..<2 {
        try await cluster.put(name: "once", handler: "report", schedule: .at(clock.date + 30))
        await clock.advance(by: .seconds(100))
      }
      let outcomes = try await cluster.history(of: "often").map(\.outcome)
      #expect(outcomes == [.done, .failed, .done, .failed, .done, .failed])
    }
    let output = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    let lines = output.split(separator: "\n").filter { $0.contains("Broken()") }
    #expect(lines.count { $0.contains("\"often\"") } == 1)
    #expect(lines.count { $0.contains("\"once\"") } == 2)
  }

  @Test func `A failed date is tried again at the moment that the store has, however late its answer came`()
    async
  {
    let replica = makeReplica("a")
    replica.store.endDelay = { [clock] in try await clock.sleep(for: .seconds(2)) }
    replica.cluster.schedule(
      .at(start + 60), name: "once", ifFailed: .retry(attempts: 2, backoff: .constant(.seconds(5)))
    ) { [clock, journal, start] run in
      journal.note("once \(run.attempt) at \(Int(clock.date.timeIntervalSince(start)))")
      throw Broken()
    }
    await clock.advance(by: .seconds(80))
    #expect(attempts == ["1 at 60", "2 at 65"])
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
  }

  @Test func `A run is cancelled on whichever replica it is, is recorded, and isn't tried again`()
    async throws
  {
    let retry = FailedRunBehavior.retry(attempts: 5, backoff: .constant(.seconds(1)))
    let replicas = ["a", "b"].map { replica($0, ifFailed: retry, work: .seconds(50)) }
    try await replicas[0].cluster.put(name: "job", handler: "report", schedule: minutely)
    await clock.advance(by: .seconds(61))
    try await replicas[0].cluster.cancelRun(of: "job", by: "ann")
    await clock.advance(by: .seconds(6))
    let record = try #require(try await store.history(of: "job", limit: 1).first)
    #expect(record.outcome == .failed && record.failure?.contains("cancelled by ann") == true)
    await clock.advance(by: .seconds(40))
    #expect(attempts == ["60.1 at 60"])
    let error = await #expect(throws: ClusterError.self) {
      try await replicas[0].cluster.cancelRun(of: "job")
    }
    #expect(error?.description == "No run of \"job\" is under way, and no attempt of it waits.")
  }

  @Test func `A cancelled run that fails before its replica is told isn't tried again`() async throws {
    let retry = FailedRunBehavior.retry(attempts: 5, backoff: .constant(.seconds(20)))
    let replica = replica("a", ifFailed: retry, work: .seconds(4), working: 100)
    try await replica.cluster.put(name: "job", handler: "report", schedule: minutely)
    await clock.advance(by: .seconds(61))
    try await replica.cluster.cancelRun(of: "job", by: "ann")
    await clock.advance(by: .seconds(50))
    #expect(attempts == ["60.1 at 60"])
    let job = try #require(try await store.jobs().first)
    #expect(job.failedCount == 1 && job.nextDate == start + 120)
    let record = try #require(try await store.history(of: "job", limit: 1).first)
    #expect(record.outcome == .failed && record.scheduledDate == start + 60)
  }

  @Test func `A cancelled run whose replica dies is recorded as abandoned, and isn't begun again`()
    async throws
  {
    let replicas = ["a", "b"].map { replica($0, ifAbandoned: .runAgain(attempts: 3), work: .seconds(30)) }
    try await replicas[0].cluster.put(name: "job", handler: "report", schedule: .at(start + 60))
    await clock.advance(by: .seconds(61))
    let runner = try #require(try await store.jobs().first?.run?.replica)
    replicas.first { $0.name == runner }?.die()
    try await replicas.first { $0.name != runner }?.cluster.cancelRun(of: "job")
    await clock.advance(by: .seconds(60))
    #expect(attempts == ["60.1 at 60"])
    #expect(try await store.history(of: "job", limit: 3).map(\.outcome) == [.abandoned])
    let found = try await replicas[0].cluster.explain("job", at: start + 60)
    #expect(found.outcome == .abandoned && found.runs.count == 1)
    #expect(try await store.jobs().map(\.nextDate) == [nil])
  }

  @Test func `A run that was asked for and is cancelled isn't begun again either`() async throws {
    let replicas = ["a", "b"].map { replica($0, ifAbandoned: .runAgain(attempts: 3), work: .seconds(30)) }
    try await replicas[0].cluster.put(name: "job", handler: "report", schedule: .at(start + 3_600))
    try await replicas[0].cluster.run("job", for: start - 900)
    await clock.advance(by: .seconds(2))
    let runner = try #require(try await store.jobs().first?.run?.replica)
    replicas.first { $0.name == runner }?.die()
    try await replicas.first { $0.name != runner }?.cluster.cancelRun(of: "job")
    await clock.advance(by: .seconds(60))
    #expect(attempts.map { $0.split(separator: " ").first } == ["-900.1"])
  }

  @Test func `A row that is locked keeps its own run from ending, and no other`() async throws {
    let replica = replica("a", ifAbandoned: .runAgain(attempts: 2))
    for name in ["x", "y", "z"] {
      try await replica.cluster.put(name: name, handler: "report", schedule: minutely)
    }
    await clock.advance(by: .seconds(60.5))
    let token = try #require(try await store.jobs(matching: "x").first?.run?.token)
    replica.store.locksRow = { $0.token == token }
    await clock.advance(by: .seconds(1.5))
    #expect(try await store.jobs().map(\.doneCount) == [0, 1, 1])
    await clock.advance(by: .seconds(8))
    replica.store.locksRow = { _ in false }
    await clock.advance(by: .seconds(20))
    #expect(try await store.jobs().map(\.doneCount) == [1, 1, 1])
    #expect(attempts == ["60.1 at 60", "60.1 at 60", "60.1 at 60"])
  }
}
