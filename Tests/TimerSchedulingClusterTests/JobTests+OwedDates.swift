import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingCluster
import TimerSchedulingTesting

/// Dates that were due before a pause.
extension JobTests {
  /// How a batch is paused and resumed.
  enum PausedBatch: CaseIterable { case handler, jobs, cluster }

  @Test(arguments: PausedBatch.allCases)
  func `A pause in the middle of a batch keeps the dates that were due before it`(batch: PausedBatch)
    async throws
  {
    let replica = replica("a", handler: nil)
    replica.cluster.handle("batch", limit: 1) { [journal, clock] run in
      journal.note(run.name)
      try await clock.sleep(for: .milliseconds(500))
    }
    let names = (0..<10).map { "r\($0)" }
    for name in names {
      try await replica.cluster.put(
        name: name, handler: "batch", schedule: .every(.seconds(3_600), starting: .at(start + 10)))
    }
    await clock.advance(by: .milliseconds(11_200))
    let before = journal.entries.count
    #expect((1..<10).contains(before))
    let cluster = replica.cluster
    switch batch {
    case .handler: try await cluster.pause(handler: "batch", by: "ann")
    case .jobs: for name in names { try await cluster.pause(name, by: "ann") }
    case .cluster: try await cluster.pauseAll(by: "ann")
    }
    await clock.advance(by: .seconds(1))
    switch batch {
    case .handler: try await cluster.resume(handler: "batch")
    case .jobs: for name in names { try await cluster.resume(name) }
    case .cluster: try await cluster.resumeAll(by: "ann")
    }
    await clock.advance(by: .seconds(60))
    #expect(journal.entries.sorted() == names)
    #expect(try await cluster.explain("r9", at: start + 10).outcome == .done)
    #expect(try await cluster.jobs().map(\.missedCount) == Array(repeating: 0, count: 10))
    await clock.advance(by: .seconds(3_600))
    #expect(journal.entries.sorted() == (names + names).sorted())
  }

  @Test
  func `A pause leaves out the dates from its beginning to its end, also after one that was due before it`()
    async throws
  {
    let replica = replica("a", handler: nil)
    replica.cluster.handle("long", limit: 1) { [journal, clock, start] run in
      journal.note("\(run.name) \(Int(run.scheduledDate.timeIntervalSince(start)))")
      if run.name == "first" { try await clock.sleep(for: .seconds(90)) }
    }
    try await replica.cluster.put(name: "first", handler: "long", schedule: .at(start + 59))
    try await replica.cluster.put(name: "second", handler: "long", schedule: minutely)
    await clock.advance(by: .seconds(110))
    try await replica.cluster.pause(handler: "long", by: "ann")
    await clock.advance(by: .seconds(140))
    try await replica.cluster.resume(handler: "long")
    await clock.advance(by: .seconds(60))
    #expect(journal.entries == ["first 59", "second 60", "second 300"])
    for (date, outcome) in [
      (60, DateExplanation.Outcome.done), (120, .skipped), (240, .skipped), (300, .done),
    ] {
      #expect(try await replica.cluster.explain("second", at: start + Double(date)).outcome == outcome)
    }
  }

  @Test func `An equal put of a job for one date changes nothing while it is retried or under way`()
    async throws
  {
    let replica = replica("a", handler: nil)
    replica.cluster.handle("fails", ifFailed: .retry(attempts: 3, backoff: .constant(.seconds(3)))) {
      [journal] run in
      journal.note("fails \(run.attempt)")
      throw Broken()
    }
    replica.cluster.handle("long") { [journal, clock] run in
      journal.note("long")
      try await clock.sleep(for: .seconds(2))
    }
    for wait in [1_400, 300, 300, 300, 14_000] {
      for handler in ["fails", "long"] {
        try await replica.cluster.put(
          name: "reminder of \(handler)", handler: handler, schedule: .at(start + 1), payload: "same")
      }
      await clock.advance(by: .milliseconds(wait))
    }
    #expect(journal.entries.sorted() == ["fails 1", "fails 2", "fails 3", "long"])
  }

  @Test func `No attempt of a removed job follows when it is put again during its run`() async throws {
    let replica = replica("a", handler: nil)
    replica.cluster.handle("bill", ifFailed: .retry(attempts: 5, backoff: .constant(.seconds(1)))) {
      [journal, clock] run in
      journal.note(run.payload)
      try await clock.sleep(for: .seconds(1))
      if run.payload == "v1" { throw Broken() }
    }
    for payload in ["v1", "v2"] {
      try await replica.cluster.put(
        name: "two", handler: "bill", schedule: .every(.seconds(3_600), starting: .at(start + 10)),
        payload: payload)
      await clock.advance(by: .milliseconds(10_500))
      if payload == "v1" { try await replica.cluster.remove(name: "two") }
    }
    await clock.advance(by: .seconds(3_600))
    #expect(journal.entries == ["v1", "v2"])
  }

  @Test func `A job for a date before 1970 is run at once`() async throws {
    let replica = replica("a")
    for (number, date) in [Date(timeIntervalSince1970: 0), .distantPast].enumerated() {
      try await replica.cluster.put(name: "\(number)", handler: "report", schedule: .at(date))
    }
    await clock.advance(by: .seconds(5))
    #expect(journal.entries.count == 2)
    #expect(try await replica.cluster.jobs().isEmpty)
  }
}
