import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingCalendar
import TimerSchedulingCluster
import TimerSchedulingTesting

/// The explanation of each date.
extension JobTests {
  /// Returns what became of a date, given as seconds since the start.
  private func explain(_ seconds: Double, on replica: TestReplica) async throws -> DateExplanation {
    try await replica.cluster.explain("job", at: start + seconds)
  }

  private func outcomes(_ seconds: [Double], on replica: TestReplica) async throws
    -> [DateExplanation.Outcome]
  {
    var found: [DateExplanation.Outcome] = []
    for date in seconds { found.append(try await explain(date, on: replica).outcome) }
    return found
  }

  @Test func `A date was run, is run, waits, is to come, is no date, or is unknown`() async throws {
    let replica = replica("a", work: .seconds(70), working: 100)
    await clock.advance(by: .seconds(30))
    try await replica.cluster.put(name: "job", handler: "report", schedule: minutely)
    await clock.advance(by: .seconds(205))
    // The runs go from 60 to 130, from 130 to 200, and from 200 to 270.
    let dates = try await outcomes([0, 30, 60, 90, 120, 180, 240, 300], on: replica)
    #expect(dates == [.unknown, .unknown, .failed, .notDue, .done, .running, .toCome, .toCome])
    let failed = try await explain(60, on: replica)
    #expect(failed.runs.map(\.replica) == ["a"] && failed.runs[0].failure == "Broken()")
    #expect(failed.runs[0].began == start + 60 && failed.runs[0].ended == start + 130)
    #expect(try await explain(90, on: replica).next == StoreTime(start + 120))
    #expect(
      failed.description == """
        "job", 2001-01-01T00:01:00Z: run, and failed.
        attempt 1 on a, 2001-01-01T00:01:00Z to 2001-01-01T00:02:10Z, failed: Broken()
        """)

    await clock.advance(by: .seconds(10))
    let waiting = try await explain(240, on: replica)
    #expect(waiting.outcome == .waiting && waiting.runBefore?.scheduledDate == start + 180)
    #expect(waiting.description.contains("The run before is going on: attempt 1 on a"))
  }

  @Test func `A date that came while the run before was going on is skipped for that run`() async throws {
    let replica = replica("a", work: .seconds(150))
    try await replica.cluster.put(name: "job", handler: "report", schedule: minutely)
    await clock.advance(by: .seconds(215))
    let skipped = try await explain(120, on: replica)
    #expect(skipped.outcome == .running)
    await clock.advance(by: .seconds(150))
    let found = try await explain(120, on: replica)
    #expect(found.outcome == .skipped && found.skipped?.reason == .newerDate && found.runs.isEmpty)
    #expect(found.runBefore?.scheduledDate == start + 60)
    #expect(found.runBefore?.ended == start + 210)
    #expect(
      found.description.contains("The run before was going on: attempt 1 on a, 2001-01-01T00:01:00Z to"))
    // The dates that aren't the schedule's are none, though they lie among those that were skipped.
    #expect(try await outcomes([119, 121, 180], on: replica) == [.notDue, .notDue, .done])
    #expect(try await replica.cluster.history(of: "job")[1].skipped.map(\.reason) == [.newerDate])
  }

  @Test func `A date that no replica claimed is skipped, and one beyond the catch-up is too old`()
    async throws
  {
    var replica = replica("a", catchUp: .seconds(100))
    for (name, schedule) in [("job", minutely), ("burst", minutely.missedTicks(.burst))] {
      try await replica.cluster.put(name: name, handler: "report", schedule: schedule)
    }
    await clock.advance(by: .seconds(90))
    replica.die()
    await clock.advance(by: .seconds(340))
    #expect(
      try await explain(120, on: self.replica("b", handler: nil)).description.contains("No replica has"))
    replica = self.replica("c", catchUp: .seconds(100))
    await clock.advance(by: .seconds(20))
    let skipped = try await explain(120, on: replica)
    #expect(skipped.outcome == .skipped && skipped.skipped?.reason == .newerDate && skipped.runBefore == nil)
    #expect(skipped.description.contains("No replica claimed it"))
    let old = try await replica.cluster.explain("burst", at: start + 300)
    #expect(old.outcome == .skipped && old.skipped?.reason == .tooOld && old.runBefore == nil)
    for date in [360.0, 420] {
      #expect(try await replica.cluster.explain("burst", at: start + date).outcome == .done)
    }
  }

  @Test func `The dates of a pause say who has paused the job and why, also after it`() async throws {
    let replica = replica("a")
    try await replica.cluster.put(name: "job", handler: "report", schedule: minutely)
    await clock.advance(by: .seconds(70))
    try await replica.cluster.pause("job", by: "ann", reason: "a repair")
    await clock.advance(by: .seconds(60))
    for _ in 1...2 {
      let found = try await explain(120, on: replica)
      #expect(found.outcome == .skipped && found.skipped?.reason == .paused)
      #expect(found.skipped?.by == "ann" && found.skipped?.note == "a repair")
      #expect(found.description.contains("The job was paused by ann: a repair"))
      #expect(try await outcomes([60, 119, 240], on: replica) == [.done, .notDue, .toCome])
      try await replica.cluster.resume("job", by: "bob")
    }
    await clock.advance(by: .seconds(60))
    #expect(try await outcomes([60, 120, 180], on: replica) == [.done, .skipped, .done])
    #expect(try await explain(120, on: replica).skipped?.by == "ann")
  }

  @Test func `A date of a schedule that was changed is skipped, and one that it hadn't is no date`()
    async throws
  {
    let replica = replica("a", work: .seconds(50))
    try await replica.cluster.put(name: "job", handler: "report", schedule: minutely)
    await clock.advance(by: .seconds(70))
    replica.scheduler.shutdown()
    await clock.advance(by: .seconds(60))
    // A change and a pause, without a replica.
    let visitor = self.replica("b", handler: nil)
    let other = TimerSchedule.every(.seconds(45), starting: .aligned)
    try await visitor.cluster.put(name: "job", handler: "report", schedule: other)
    await clock.advance(by: .seconds(10))
    try await visitor.cluster.pause("job", by: "ann")
    await clock.advance(by: .seconds(50))
    try await visitor.cluster.resume("job")
    // 120 was a date of the first schedule, and 180 is of the second. They are left out by the next claim.
    for _ in 1...2 {
      let found = try await outcomes([60, 90, 120, 180], on: visitor)
      #expect(found == [.done, .notDue, .skipped, .skipped])
      #expect(try await explain(120, on: visitor).skipped?.reason == .scheduleChanged)
      #expect(try await explain(120, on: visitor).skipped?.note == minutely.description)
      #expect(try await explain(180, on: visitor).skipped?.by == "ann")
      let third = self.replica("d")
      await clock.advance(by: .seconds(5))
      third.die()
    }
  }

  @Test func `A date that was abandoned and taken over is told with all attempts`() async throws {
    let again = AbandonedRunBehavior.runAgain(attempts: 2)
    let first = replica("a", ifAbandoned: again, work: .seconds(20))
    try await first.cluster.put(name: "job", handler: "report", schedule: minutely)
    await clock.advance(by: .seconds(65))
    first.die()
    let second = replica("b", ifAbandoned: again, work: .seconds(20))
    await clock.advance(by: .seconds(20))
    #expect(try await explain(60, on: second).outcome == .running)
    await clock.advance(by: .seconds(20))
    let found = try await explain(60, on: second)
    #expect(found.outcome == .done && found.runs.map(\.replica) == ["a", "b"])
    #expect(found.runs.map(\.outcome) == [.abandoned, .done] && found.runs.map(\.attempt) == [1, 2])
    #expect(found.description.split(separator: "\n").count == 3)
  }

  @Test func `A date that was abandoned and isn't begun again says so, also among others`()
    async throws
  {
    let first = replica("a", work: .seconds(130))
    try await first.cluster.put(name: "job", handler: "report", schedule: minutely)
    await clock.advance(by: .seconds(195))
    // The run for 180, with 120 skipped, which the store knows as that of the first of these dates.
    first.die()
    let second = replica("b")
    await clock.advance(by: .seconds(30))
    let found = try await explain(180, on: second)
    #expect(found.outcome == .abandoned && found.runs.map(\.outcome) == [.abandoned])
    #expect(found.skipped?.reason == .attemptsUsedUp)
    #expect(try await outcomes([60, 120, 240], on: second) == [.done, .skipped, .toCome])
  }

  @Test func `A date that is to be tried again says when, and the dates after it wait`() async throws {
    let retry = FailedRunBehavior.retry(attempts: 3, backoff: .constant(.seconds(90)))
    let replica = replica("a", ifFailed: retry, working: 200)
    try await replica.cluster.put(name: "job", handler: "report", schedule: minutely)
    await clock.advance(by: .seconds(130))
    let found = try await explain(60, on: replica)
    #expect(found.outcome == .retrying && found.runs.count == 1 && found.next == StoreTime(start + 151))
    #expect(found.description.contains("to be begun again at 2001-01-01T00:02:31Z"))
    let waiting = try await explain(120, on: replica)
    #expect(waiting.outcome == .waiting && waiting.runBefore?.scheduledDate == start + 60)
    await clock.advance(by: .seconds(180))
    // Attempts at 60, 151 and 242, so that 120 and 180 are passed over for 240.
    #expect(try await explain(60, on: replica).runs.map(\.outcome) == [.failed, .failed, .done])
    #expect(try await outcomes([60, 120, 180, 240], on: replica) == [.done, .skipped, .skipped, .done])
    #expect(try await explain(120, on: replica).runBefore?.scheduledDate == start + 60)
  }

  @Test func `A date that an operator asks for waits and is run, also if the schedule hasn't it`()
    async throws
  {
    let replica = replica("a", work: .seconds(10))
    try await replica.cluster.put(name: "job", handler: "report", schedule: minutely)
    await clock.advance(by: .seconds(125))
    for date in [-3_600.0, -90] { try await replica.cluster.run("job", for: start + date) }
    try await replica.cluster.backfill("job", in: start - 300...start - 240)
    let dates = [-3_600.0, -300, -270, -240, -90]
    #expect(
      try await outcomes(dates, on: replica) == [.waiting, .waiting, .unknown, .waiting, .waiting])
    #expect(try await explain(-90, on: replica).isAsked)
    await clock.advance(by: .seconds(60))
    #expect(try await outcomes(dates, on: replica) == [.done, .done, .unknown, .done, .done])
    #expect(try await explain(-90, on: replica).runs.map(\.isAsked) == [true])
  }

  @Test func `An operator's program explains a job by a rule that it can't read`()
    async throws
  {
    struct Evens: TickRule, CustomStringConvertible {
      let description = "even minutes"
      func nextTick(after date: Date) -> Date? {
        Date(timeIntervalSince1970: (date.timeIntervalSince1970 / 120).rounded(.down) * 120 + 120)
      }
    }
    let replica = makeReplica("a")
    replica.schedule(.rule(Evens())) { [clock] _ in try await clock.sleep(for: .seconds(150)) }
    let other = self.replica("b", handler: nil)
    await clock.advance(by: .seconds(600))
    // Runs from 120 to 270 and from 270 to 420 for 240, and so on.
    for teller in [replica, other] {
      #expect(try await outcomes([120, 180, 240], on: teller) == [.done, .notDue, .done])
    }
    #expect(try await explain(121, on: replica).next == StoreTime(start + 240))
    await clock.advance(by: .seconds(600))
    try await other.cluster.removeHistory(before: start + 400)
    #expect(try await outcomes([120, 240], on: other) == [.unknown, .unknown])
    let error = await #expect(throws: ClusterError.self) {
      try await other.cluster.explain("none", at: start)
    }
    #expect(error?.description.contains("no job \"none\"") == true)
  }
}
