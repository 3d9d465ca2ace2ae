import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingCluster
import TimerSchedulingTesting

/// Names that Swift holds equal, and a database doesn't.
extension JobTests {
  private static let (short, long) = ("caf\u{e9}", "cafe\u{301}")

  @Test func `Jobs are listed in pages, in the order of their names`() async throws {
    let cluster = makeReplica("a", store: store).cluster
    let names = (0..<250).map { "job \(1_000 + $0)" }
    for name in names.reversed() { try await cluster.put(name: name, handler: "mail", after: .seconds(60)) }
    try await cluster.put(name: "other", handler: "mail", after: .seconds(60))
    var pages = [try await cluster.jobs(matching: "JOB")]
    while let last = pages.last?.last {
      pages.append(try await cluster.jobs(matching: "JOB", after: last.name))
    }
    #expect(pages.map(\.count) == [100, 100, 50, 0])
    #expect(pages.flatMap { $0.map(\.name) } == names)
    #expect(try await cluster.jobs(after: "job 9", limit: 3).map(\.name) == ["other"])
  }

  @Test(arguments: [(short, long), (long, short)])
  func `A name with an accent is one job, however the accent is written`(first: String, second: String)
    async throws
  {
    let replica = makeReplica("a")
    replica.cluster.handle(first) { [journal] run in journal.note(run.payload) }
    try await replica.cluster.put(name: first, handler: second, schedule: minutely, payload: "old")
    try await replica.cluster.put(name: second, handler: first, schedule: minutely, payload: "new")
    #expect(try await replica.cluster.jobs(matching: second).map(\.payload) == ["new"])
    #expect(
      try await store.jobs().map { Array($0.name.unicodeScalars) } == [Array(Self.short.unicodeScalars)])
    await clock.advance(by: .seconds(61))
    #expect(journal.entries == ["new"])
    #expect(try await replica.cluster.history(of: second).count == 1)
    #expect(try await replica.cluster.explain(second, at: start + 60).outcome == .done)
    try await replica.cluster.pause(second)
    try await replica.cluster.resume(second)
    try await replica.cluster.run(second, for: start)
    try await replica.cluster.backfill(second, in: start...start)
    try await replica.cluster.remove(name: second)
    #expect(try await store.jobs().isEmpty)
    replica.schedule(name: first) { [journal] _ in journal.note("first") }
    replica.schedule(name: second) { [journal] _ in journal.note("second") }
    await clock.advance(by: .seconds(60))
    #expect(journal.entries == ["new", "second"])
  }
}
