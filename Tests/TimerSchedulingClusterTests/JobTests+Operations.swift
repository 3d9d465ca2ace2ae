import Foundation
import Synchronization
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingCalendar
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

  @Test func `A schedule that is changed during a retry loses nothing of a backfill`() async throws {
    let retry = FailedRunBehavior.retry(attempts: 3, backoff: .constant(.seconds(5)))
    let replica = replica("a", ifFailed: retry, work: .zero, working: 1.5)
    try await replica.cluster.put(name: "job", handler: "report", schedule: .at(start - 600))
    await clock.advance(by: .seconds(1))
    try await replica.cluster.backfill("job", in: start - 600...start - 300)
    await clock.advance(by: .seconds(1))
    try await replica.cluster.put(name: "job", handler: "report", schedule: minutely)
    await clock.advance(by: .seconds(40))
    let dates = attempts.compactMap { $0.split(separator: " ").first }
    #expect(dates == ["-600.1", "-600.2", "-540.1", "-480.1", "-420.1", "-360.1", "-300.1"])
    #expect(try await store.jobs().map(\.nextDate) == [StoreTime(start + 60)])
    replica.die()
  }

  @Test
  func `A job whose schedule can't be read fails once for each request, with the advice to put it again`()
    async throws
  {
    let observer = FailureLog()
    let replica = replica("a", observer: observer)
    _ = try await store.answer(PutRequest(job: "job", handler: "report", schedule: "of version 9"))
    await clock.advance(by: .seconds(10))
    #expect(try await store.history(of: "job", limit: 10_000).count == 1)
    try await replica.cluster.run("job")
    await clock.advance(by: .seconds(60))
    #expect(try await store.history(of: "job", limit: 10_000).count == 2)
    #expect(observer.failures.count == 2)
    let sentence = try #require(observer.failures.first)
    #expect(sentence.contains("\"job\"") && sentence.hasSuffix("Update the program, or put the job again."))
    #expect(!sentence.contains(".."))
    replica.die()
  }

  @Test func `A backfill from the beginning of time to its end stops no process`() async throws {
    await #expect(processExitsWith: .success) {
      let schedules: [TimerSchedule] = [
        .every(.seconds(60), starting: .aligned),
        .every(.seconds(60), starting: .aligned(offset: .seconds(30))),
        .every(.seconds(60), starting: .at(Date(timeIntervalSince1970: 1e9))), .at(.distantPast),
        .rule(try CronRule("* * * * *", timeZone: .gmt)),
      ]
      for text in schedules.map(\.description) {
        let dates = try ClusterDates(text: text, catchUp: .seconds(60))
        for moment in [Int64.min, .min + 1, -1 << 62, 1 << 62, .max - 1, .max] {
          let time = StoreTime(microseconds: moment)
          _ = dates.date(after: time)
          var claim = ClaimedRun(
            job: "job", from: time, until: time, attempt: 1, token: 1, schedule: text)
          for end in [Int64.min, 0, .max] {
            let row = #"{"id": 1, "from": \#(moment), "through": \#(end)}"#
            claim.asked = try JSONDecoder().decode(AskedRange.self, from: Data(row.utf8))
            _ = dates.plannedEnd(of: claim, attempts: 1)
          }
        }
      }
    }
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

  @Test func `A cancelled run that fails before its replica is told isn't tried again`() async throws {
    let retry = FailedRunBehavior.retry(attempts: 5, backoff: .constant(.seconds(20)))
    let replica = replica("a", ifFailed: retry, work: .seconds(4), working: 100)
    try await replica.cluster.put(name: "job", handler: "report", schedule: minutely)
    await clock.advance(by: .seconds(61))
    try await replica.cluster.cancelRun(of: "job", by: "ann")
    await clock.advance(by: .seconds(50))
    #expect(attempts == ["60.1 at 60"])
    let job = try #require(try await store.jobs().first)
    #expect(job.failedCount == 1 && job.nextDate == StoreTime(start + 120))
    let record = try #require(try await store.history(of: "job", limit: 1).first)
    #expect(record.outcome == .failed && record.scheduledDate == StoreTime(start + 60))
    replica.die()
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
    for replica in replicas { replica.die() }
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
    for replica in replicas { replica.die() }
  }

  @Test func `A row that is locked keeps its own run from ending, and no other`() async throws {
    let replica = replica("a", ifAbandoned: .runAgain(attempts: 2))
    for name in ["x", "y", "z"] {
      try await replica.cluster.put(name: name, handler: "report", schedule: .at(start + 60))
    }
    await clock.advance(by: .seconds(60.5))
    let token = try #require(try await store.jobs(matching: "x").first?.run?.token)
    replica.store.lockRows { $0.token == token }
    await clock.advance(by: .seconds(1.5))
    #expect(try await store.jobs().map(\.doneCount) == [0, 1, 1])
    await clock.advance(by: .seconds(8))
    replica.store.lockRows { _ in false }
    await clock.advance(by: .seconds(20))
    #expect(try await store.jobs().map(\.doneCount) == [1, 1, 1])
    #expect(attempts == ["60.1 at 60", "60.1 at 60", "60.1 at 60"])
    replica.die()
  }

  @Test func `A cancellation is refused while no run is under way`() async throws {
    let replica = replica("a")
    try await replica.cluster.put(name: "job", handler: "report", schedule: minutely)
    let error = await #expect(throws: ClusterError.self) { try await replica.cluster.cancelRun(of: "job") }
    #expect(error?.description == "No run of \"job\" is under way.")
    replica.die()
  }

  @Test func `A request to run a job leaves the wait of a retry as it is`() async throws {
    let retry = FailedRunBehavior.retry(attempts: 5, backoff: .constant(.seconds(600)))
    let replica = replica("a", ifFailed: retry, working: 100)
    try await replica.cluster.put(name: "job", handler: "report", schedule: .at(start + 60))
    await clock.advance(by: .seconds(65))
    try await replica.cluster.run("job")
    await clock.advance(by: .seconds(500))
    #expect(attempts == ["60.1 at 60"])
    await clock.advance(by: .seconds(110))
    #expect(attempts == ["60.1 at 60", "60.2 at 661", "65.1 at 662"])
    replica.die()
  }

  @Test(arguments: [false, true])
  func `Nothing of a job that was removed during its run is left for the next of its name`(isDeclared: Bool)
    async throws
  {
    let (replica, other) = (replica("a", work: .seconds(5)), replica("b", handler: nil))
    try await replica.cluster.put(name: "job", handler: "report", schedule: minutely, payload: "old")
    await clock.advance(by: .seconds(121))
    try await replica.cluster.backfill("job", in: start - 600...start - 300)
    try await replica.cluster.pause("job", by: "ann", reason: "a repair")
    try await replica.cluster.remove(name: "job")
    if isDeclared {
      other.scheduler.schedule(minutely, name: "job", in: other.cluster) { [journal] _ in
        journal.note("job code")
      }
    } else {
      try await replica.cluster.put(name: "job", handler: "report", schedule: minutely, payload: "new")
    }
    await clock.advance(by: .seconds(2))
    let job = try #require(try await store.jobs().first)
    #expect(!job.isPaused && job.pausedBy.isEmpty && job.pauseReason.isEmpty)
    #expect(job.doneCount == 0 && job.lastDate == nil && job.run != nil)
    await clock.advance(by: .seconds(60))
    #expect(attempts == ["old 60.1 at 60", "old 120.1 at 120", isDeclared ? "code" : "new 180.1 at 180"])
    for replica in [replica, other] { replica.die() }
  }

  @Test(arguments: [false, true])
  func `An abandoned run that was asked for is recorded with no other date`(isRange: Bool) async throws {
    let replicas = ["a", "b"].map { replica($0, work: .seconds(3)) }
    try await replicas[0].cluster.put(
      name: "job", handler: "report", schedule: .every(.seconds(600), starting: .aligned))
    await clock.advance(by: .seconds(1))
    if isRange {
      try await replicas[0].cluster.backfill("job", in: start - 1_200...start - 600)
    } else {
      try await replicas[0].cluster.run("job", for: start - 900)
    }
    await clock.advance(by: .seconds(2))
    let runner = try #require(try await store.jobs().first?.run?.replica)
    replicas.first { $0.name == runner }?.die()
    await clock.advance(by: .seconds(60))
    let record = try #require(
      try await store.history(of: "job", limit: 10).first { $0.outcome == .abandoned })
    // Which date of a range it was, the replica hasn't told.
    #expect(record.isAsked && record.scheduledDate == (isRange ? nil : StoreTime(start - 900)))
    let found = try await replicas[0].cluster.explain("job", at: start - (isRange ? 1_200 : 900))
    #expect(found.outcome == .abandoned && found.runs.map(\.token) == [record.token])
    for replica in replicas { replica.die() }
  }

  @Test func `Old records go although a run is under way`() async throws {
    let replica = replica("a", work: .seconds(10_000))
    try await replica.cluster.put(name: "long", handler: "report", schedule: .at(start + 1))
    await clock.advance(by: .seconds(2))
    replica.cluster.handle("short", on: replica.scheduler) { _ in }
    try await replica.cluster.put(
      name: "job", handler: "short", schedule: .every(.seconds(1), starting: .aligned))
    await clock.advance(by: .seconds(1_100))
    try await replica.cluster.pause("job")
    try await replica.cluster.removeHistory(before: clock.date + 1)
    #expect(try await store.history(of: nil, limit: 10_000).map(\.job) == ["long"])
    replica.die()
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
