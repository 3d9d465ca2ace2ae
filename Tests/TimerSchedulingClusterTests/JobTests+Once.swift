import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingCluster
import TimerSchedulingTesting

/// Jobs that are put for now, or for one date.
extension JobTests {
  @Test func `A job for now is run at once by the store's clock, and leaves the list with its record`()
    async throws
  {
    replica("a")
    let other = replica("b", handler: nil)
    await clock.advance(by: .seconds(10))
    let name = try await other.cluster.put(handler: "report", payload: "7")
    let second = try await other.cluster.put(handler: "report", payload: "8")
    #expect(name != second)
    await clock.advance(by: .seconds(3))
    let expected = ["\(name) 7 10.1 at", "\(second) 8 10.1 at"]
    #expect(journal.entries.count == 2)
    #expect(expected.allSatisfy { begin in journal.entries.contains { $0.hasPrefix(begin) } })
    #expect(try await other.cluster.jobs().isEmpty)
    let record = try #require(try await other.cluster.history(of: name).first)
    #expect(record.outcome == .done && record.scheduledDate == start + 10)
    #expect(try await other.cluster.explain(name, at: start + 10).outcome == .done)
  }

  @Test func `A job that is put on its handler's replica for now begins within the moment`() async throws {
    let replica = replica("a")
    await clock.advance(by: .seconds(10))
    try await replica.cluster.put(name: "now", handler: "report")
    await clock.advance(by: .milliseconds(1))
    #expect(attempts == ["10.1 at 10"])
  }

  // Fails if a new job accounts for the moments before its only date.
  @Test func `A job that is put again for an earlier date is run at it`() async throws {
    let replica = replica("a")
    try await replica.cluster.put(name: "job", handler: "report", after: .seconds(3_600))
    try await replica.cluster.put(name: "at", handler: "report", schedule: .at(start + 3_600))
    await clock.advance(by: .seconds(10))
    try await replica.cluster.put(name: "job", handler: "report", after: .seconds(60), payload: "soon")
    try await replica.cluster.put(name: "at", handler: "report", schedule: .at(start + 60))
    await clock.advance(by: .seconds(90))
    #expect(journal.entries == ["at  60.1 at 60", "job soon 70.1 at 70"])
    #expect(try await replica.cluster.jobs().isEmpty)
  }

  // Fails if a date without a record gives way to the moments that other dates have accounted for.
  @Test func `A job that is put for a date before others is run for the date that was given`() async throws {
    let replica = replica("a", work: .zero)
    await clock.advance(by: .seconds(10))
    for offset in [-3_600.0, -7_200] {
      try await replica.cluster.put(name: "day", handler: "report", schedule: .at(start + offset))
      await clock.advance(by: .seconds(5))
    }
    try await replica.cluster.put(name: "moved", handler: "report", after: .seconds(100))
    await clock.advance(by: .seconds(5))
    try await replica.cluster.put(name: "moved", handler: "report", schedule: .at(start - 7_200))
    await clock.advance(by: .seconds(5))
    let dates = try await replica.cluster.history().map(\.scheduledDate)
    #expect(dates == [-7_200, -7_200, -3_600].map { start + $0 })
    #expect(attempts == ["-3600.1 at 10", "-7200.1 at 15", "-7200.1 at 25"])
    #expect(try await replica.cluster.explain("day", at: start - 7_200).outcome == .done)
    #expect(try await replica.cluster.jobs().isEmpty)
  }

  @Test(arguments: [nil, 4.0])
  func `A run now of a job that waits for its only date takes the place of that`(date: Double?) async throws {
    let replica = replica("a", work: .zero)
    try await replica.cluster.put(name: "reminder", handler: "report", after: .seconds(4), payload: "same")
    await clock.advance(by: .milliseconds(500))
    try await replica.cluster.run("reminder", for: date.map { start + $0 })
    await clock.advance(by: .seconds(10))
    #expect(journal.entries == ["reminder same 0.1 at 0"])
    #expect(try await replica.cluster.history().map(\.scheduledDate) == [start + 0.5])
    #expect(try await replica.cluster.jobs().isEmpty)
  }

  @Test func `A run now changes nothing for an only date that is due, and one of another date is one more`()
    async throws
  {
    let replica = replica("a", work: .zero)
    for name in ["due", "other"] {
      try await replica.cluster.put(name: name, handler: "report", after: .seconds(4))
      try await replica.cluster.pause(name)
    }
    await clock.advance(by: .seconds(5))
    try await replica.cluster.run("due")
    try await replica.cluster.run("other", for: start - 60)
    await clock.advance(by: .seconds(5))
    for name in ["due", "other"] { try await replica.cluster.resume(name) }
    await clock.advance(by: .seconds(10))
    #expect(journal.entries.filter { $0.hasPrefix("due") } == ["due  4.1 at 10"])
    #expect(journal.entries.filter { $0.hasPrefix("other") } == ["other  4.1 at 10", "other  -60.1 at 10"])
  }

  @Test func `A job that has failed in place of its date is run for that when it is put again`() async throws
  {
    let replica = replica("a", work: .zero, working: 30)
    let reminder = TimerSchedule.at(start + 60)
    try await replica.cluster.put(name: "reminder", handler: "report", schedule: reminder)
    try await replica.cluster.run("reminder")
    await clock.advance(by: .seconds(10))
    #expect(try await replica.cluster.jobs().map(\.state) == [.failed])
    try await replica.cluster.put(name: "reminder", handler: "report", schedule: reminder)
    await clock.advance(by: .seconds(60))
    #expect(attempts == ["0.1 at 0", "60.1 at 60"])
    #expect(try await replica.cluster.jobs().isEmpty)
  }

  // Fails if an earlier date has the job begin the dates after it again.
  @Test func `Dates that have been run aren't run again after a put of an earlier one`() async throws {
    let replica = replica("a", work: .zero)
    await clock.advance(by: .seconds(10))
    try await replica.cluster.put(name: "day", handler: "report", schedule: .at(start - 60))
    await clock.advance(by: .seconds(5))
    try await replica.cluster.pause(handler: "report")
    for offset in [-120.0, -60] {
      try await replica.cluster.put(name: "day", handler: "report", schedule: .at(start + offset))
    }
    try await replica.cluster.resume(handler: "report")
    await clock.advance(by: .seconds(5))
    let dates = try await replica.cluster.history().map(\.scheduledDate)
    #expect(dates == [start - 60 + 0.000_001, start - 60])
    #expect(try await replica.cluster.jobs().isEmpty)
  }

  // Fails if the date after an open range isn't compared with the records.
  @Test func `A date that was run gives way to the moment after it, also during the run of an earlier one`()
    async throws
  {
    let replica = replica("a", work: .seconds(2))
    await clock.advance(by: .seconds(10))
    for (offset, wait) in [(-60.0, 5), (-120, 1), (-60, 10)] {
      try await replica.cluster.put(name: "day", handler: "report", schedule: .at(start + offset))
      await clock.advance(by: .seconds(wait))
    }
    let dates = try await replica.cluster.history().map(\.scheduledDate)
    #expect(dates == [start - 60 + 0.000_001, start - 120, start - 60])
    #expect(try await replica.cluster.jobs().isEmpty)
  }

  @Test(arguments: [-3_600, -0.000_001, 0, 0.000_001])
  func `A job with a date that has passed, or that comes soon, is run for it once`(offset: Double)
    async throws
  {
    let replica = replica("a")
    await clock.advance(by: .seconds(10))
    let date = clock.date + offset
    try await replica.cluster.put(name: "once", handler: "report", schedule: .at(date))
    await clock.advance(by: .seconds(30))
    let records = try await replica.cluster.history(of: "once")
    #expect(records.map(\.outcome) == [.done] && records.map(\.scheduledDate) == [date])
    #expect(try await replica.cluster.jobs().isEmpty)
  }

  @Test func `A job for later is run after its delay, and a second put moves it`() async throws {
    let replica = replica("a")
    try await replica.cluster.put(name: "later", handler: "report", after: .seconds(60))
    await clock.advance(by: .seconds(50))
    try await replica.cluster.put(name: "later", handler: "report", after: .seconds(60), payload: "moved")
    await clock.advance(by: .seconds(70))
    #expect(journal.entries == ["later moved 110.1 at 110"])
    #expect(try await replica.cluster.jobs().isEmpty)
  }

  @Test func `A job that is put for now while its run is under way is run again after it`() async throws {
    let replica = replica("a", work: .seconds(10))
    try await replica.cluster.put(name: "job", handler: "report", payload: "1")
    await clock.advance(by: .seconds(5))
    try await replica.cluster.put(name: "job", handler: "report", payload: "2")
    await clock.advance(by: .seconds(30))
    #expect(journal.entries == ["job 1 0.1 at 0", "job 2 5.1 at 10"])
    #expect(try await replica.cluster.jobs().isEmpty)
  }

  // Fails if a put leaves the open range as it is: the new payload is run at once, and again at its date.
  @Test func `A reminder that is moved while its retry waits is run at its new date alone`() async throws {
    let retry = FailedRunBehavior.retry(attempts: 5, backoff: .constant(.seconds(20)))
    let replica = replica("a", ifFailed: retry, working: 100)
    try await replica.cluster.put(name: "job", handler: "report", schedule: .at(start + 60), payload: "old")
    await clock.advance(by: .seconds(65))
    try await replica.cluster.put(name: "job", handler: "report", schedule: .at(start + 600), payload: "new")
    await clock.advance(by: .seconds(10))
    let job = try #require(try await replica.cluster.jobs().first)
    #expect(job.failedCount == 1 && job.nextDate == start + 600)
    await clock.advance(by: .seconds(600))
    #expect(journal.entries == ["job old 60.1 at 60", "job new 600.1 at 600"])
  }

  @Test func `A put job is begun five times by default when it fails, and stays then`() async throws {
    let replica = makeReplica("a")
    replica.cluster.handle("report") { [journal] run in
      journal.note("\(run.attempt)")
      throw Broken()
    }
    try await replica.cluster.put(name: "job", handler: "report")
    await clock.advance(by: .seconds(60))
    #expect(journal.entries == ["1", "2", "3", "4", "5"])
    let job = try #require(try await replica.cluster.jobs().first)
    #expect(job.failedCount == 1 && job.nextDate == nil)
    try await replica.cluster.put(name: "job", handler: "report")
    await clock.advance(by: .seconds(60))
    #expect(journal.entries.count == 10)
  }

  @Test func `A put job is begun three times by default when it is abandoned`() async throws {
    for name in ["a", "b", "c", "d"] {
      let replica = makeReplica(name)
      replica.cluster.handle("report") { [journal, clock] run in
        journal.note("\(run.attempt)")
        try await clock.sleep(for: .seconds(1_000))
      }
    }
    let operations = makeReplica("operations")
    try await operations.cluster.put(name: "job", handler: "report")
    for _ in 1...4 {
      await clock.advance(by: .seconds(30))
      let runner = try await store.jobs().first?.run?.replica
      shared.replica(named: runner)?.die()
    }
    await clock.advance(by: .seconds(60))
    #expect(journal.entries == ["1", "2", "3"])
    #expect(try await store.jobs().map(\.abandonedCount) == [3])
  }

  @Test func `A delay that makes no sense, and a schedule without a date to come, are errors`() async throws {
    let replica = replica("a")
    await clock.advance(by: .seconds(10))
    for delay in [Duration.microseconds(-1), .seconds(3_155_760_001)] {
      let error = await #expect(throws: ClusterError.self) {
        try await replica.cluster.put(name: "job", handler: "report", after: delay)
      }
      #expect(error?.description.contains("is zero to a century, but \(delay)") == true)
    }
    for schedule in [minutely.until(start + 5), .at(start + 60).until(start + 30)] {
      let error = await #expect(throws: ClusterError.self) {
        try await replica.cluster.put(name: "job", handler: "report", schedule: schedule)
      }
      #expect(error?.description.contains("has no date from now on") == true)
    }
    #expect(try await replica.cluster.jobs().isEmpty)
  }
}
