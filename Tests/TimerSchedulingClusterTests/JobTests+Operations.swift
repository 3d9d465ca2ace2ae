import Foundation
import Synchronization
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingCalendar
import TimerSchedulingCluster
import TimerSchedulingTesting

/// The operations: runs besides the dates, removals, pauses and the history.
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
    #expect(try await replica.cluster.jobs().map(\.lastDate) == [start + 120])
    let error = await #expect(throws: ClusterError.self) { try await replica.cluster.run("none") }
    #expect(error?.description.contains("no job") == true)
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
  }

  @Test func `A schedule that is changed during a retry loses nothing of a backfill`() async throws {
    let retry = FailedRunBehavior.retry(attempts: 3, backoff: .constant(.seconds(5)))
    let replica = replica("a", ifFailed: retry, work: .zero, working: 1.5)
    try await replica.cluster.put(
      name: "job", handler: "report", schedule: .every(.seconds(600), starting: .aligned))
    await clock.advance(by: .seconds(1))
    try await replica.cluster.backfill("job", in: start - 600...start - 300)
    await clock.advance(by: .seconds(1))
    try await replica.cluster.put(name: "job", handler: "report", schedule: minutely)
    await clock.advance(by: .seconds(40))
    let dates = attempts.compactMap { $0.split(separator: " ").first }
    #expect(dates == ["-600.1", "-600.2", "-540.1", "-480.1", "-420.1", "-360.1", "-300.1"])
    #expect(try await store.jobs().map(\.nextDate) == [start + 60])
  }

  // Fails if a replica that can't read a job settles its dates.
  @Test func `A job whose schedule can't be read is left to replicas that can, and is told once`()
    async throws
  {
    let observer = FailureLog()
    let replica = replica("a", observer: observer)
    _ = try await store.answer(PutRequest(job: "job", handler: "report", schedule: "of version 9"))
    await clock.advance(by: .seconds(200))
    #expect(try await store.history(of: "job", limit: 10).isEmpty)
    #expect(replica.store.claims.count { $0.answer?.runs.isEmpty == false } == 4)
    #expect(observer.failures.count == 1)
    let sentence = try #require(observer.failures.first)
    #expect(sentence.contains("\"job\"") && sentence.hasSuffix("Update the program, or put the job again."))
    #expect(!sentence.contains(".."))
    // A replica of a newer program gets the job with all its dates.
    let newer = UUID()
    _ = try await store.answer(
      SessionRegistration(
        session: newer, replica: "newer", lease: 1_000_000, serves: [:], declares: [], handlers: ["report"]))
    let claim = ClaimRequest(
      session: newer, number: 1, isRepeated: false, limit: 10, lease: 1_000_000, except: [])
    let run = try #require(try await store.answer(claim).runs.first)
    #expect(run.schedule == "of version 9" && run.attempt == 1 && run.from.date < start + 1)
    _ = try await store.end([RunEnd(releasing: run)])
    try await store.close(session: newer)
    try await makeReplica("b").cluster.put(name: "job", handler: "report", schedule: minutely)
    await clock.advance(by: .seconds(130))
    #expect(!journal.entries.isEmpty && observer.failures.count == 1)
    try await replica.cluster.remove(name: "job")
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
      other.schedule { [journal] _ in journal.note("job code") }
    } else {
      try await replica.cluster.put(name: "job", handler: "report", schedule: minutely, payload: "new")
    }
    await clock.advance(by: .seconds(2))
    let job = try #require(try await store.jobs().first)
    #expect(!job.isPaused && job.pausedBy.isEmpty && job.pauseReason.isEmpty)
    #expect(job.doneCount == 0 && job.lastDate == nil && job.run != nil)
    await clock.advance(by: .seconds(60))
    #expect(attempts == ["old 60.1 at 60", "old 120.1 at 120", isDeclared ? "code" : "new 180.1 at 180"])
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
    #expect(record.isAsked && record.scheduledDate == (isRange ? nil : start - 900))
    let found = try await replicas[0].cluster.explain("job", at: start - (isRange ? 1_200 : 900))
    #expect(found.outcome == .abandoned && found.runs.map(\.token) == [record.token])
  }

  @Test func `Old records go although a run is under way`() async throws {
    let replica = replica("a", work: .seconds(10_000))
    try await replica.cluster.put(name: "long", handler: "report", schedule: .at(start + 1))
    await clock.advance(by: .seconds(2))
    replica.cluster.handle("short") { _ in }
    try await replica.cluster.put(
      name: "job", handler: "short", schedule: .every(.seconds(1), starting: .aligned))
    await clock.advance(by: .seconds(1_100))
    try await replica.cluster.pause("job")
    try await replica.cluster.removeHistory(before: clock.date + 1)
    #expect(try await store.history(of: nil, limit: 10_000).map(\.job) == ["long"])
  }

  @Test func `Records beyond the limits of a history go by themselves, in slices`() async throws {
    let scheduler = TimerScheduler(clock: clock, configuration: .silent)
    let cluster = TimerCluster(
      store: store, scheduler: scheduler, replica: "a", historyAge: .seconds(600), historyCount: 3)
    cluster.handle("report") { _ in }
    try await cluster.put(name: "job", handler: "report", schedule: minutely)
    await clock.advance(by: .seconds(400))
    let counted = try await cluster.history(of: "job").compactMap(\.scheduledDate)
    #expect((3...4).contains(counted.count))
    #expect(counted.first == start + 360)
    try await cluster.pause("job")
    await clock.advance(by: .seconds(700))
    #expect(try await cluster.history(of: "job").isEmpty)
    await scheduler.shutdownAndWait()
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
  }
}
