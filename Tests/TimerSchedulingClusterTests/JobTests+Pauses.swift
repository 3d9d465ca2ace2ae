import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingCluster
import TimerSchedulingTesting

/// Pauses of a handler and of the cluster.
extension JobTests {
  @Test
  func `A pause of the cluster holds for all jobs and later ones, and jobs paused by themselves stay so`()
    async throws
  {
    let (first, second) = (replica("a"), replica("b", handler: nil))
    second.schedule(name: "code") { [journal] run in journal.note("code") }
    try await first.cluster.put(name: "one", handler: "report", schedule: minutely)
    try await first.cluster.put(name: "two", handler: "report", schedule: minutely)
    await clock.advance(by: .seconds(10))
    try await first.cluster.pause("two", by: "bob")
    try await first.cluster.pauseAll(by: "ann", reason: "a move")
    try await first.cluster.pauseAll(by: "carl", reason: "the first one counts")
    try await first.cluster.put(name: "three", handler: "report", schedule: minutely)
    let pauses = try await first.cluster.pauses()
    #expect(pauses.map(\.by) == ["ann"] && pauses.map(\.reason) == ["a move"])
    #expect(pauses.map(\.handler) == [nil] && pauses.map(\.date) == [start + 10])
    await clock.advance(by: .seconds(120))
    #expect(journal.entries.isEmpty)
    let paused = try await first.cluster.explain("code", at: start + 60)
    #expect(paused.outcome == .skipped && paused.skipped?.by == "ann" && paused.skipped?.note == "a move")
    try await first.cluster.resumeAll(by: "ann")
    #expect(try await first.cluster.pauses().isEmpty)
    await clock.advance(by: .seconds(60))
    #expect(Set(journal.entries) == ["one  180.1 at 180", "three  180.1 at 180", "code"])
    #expect(journal.entries.count == 3)
    #expect(try await first.cluster.jobs().map(\.missedCount) == [0, 0, 0, 0])
    let skipped = try await first.cluster.explain("one", at: start + 60)
    #expect(skipped.outcome == .skipped && skipped.skipped?.reason == .paused && skipped.skipped?.by == "ann")
    try await first.cluster.resume("two")
    await clock.advance(by: .seconds(60))
    #expect(journal.entries.contains("two  240.1 at 240"))
  }

  @Test func `A pause of a handler keeps what is put for one date, and leaves other handlers and programs`()
    async throws
  {
    let first = replica("a")
    first.cluster.handle("mail") { [journal] run in journal.note("mail \(run.payload)") }
    first.schedule(name: "code") { [journal] run in journal.note("code") }
    try await first.cluster.put(name: "one", handler: "report", schedule: minutely)
    try await first.cluster.pause(handler: "mail", by: "ann", reason: "no server")
    try await first.cluster.put(handler: "mail", payload: "now")
    try await first.cluster.put(handler: "mail", after: .seconds(30), payload: "later")
    try await first.cluster.put(name: "news", handler: "mail", schedule: minutely, payload: "each minute")
    await clock.advance(by: .seconds(100))
    #expect(Set(journal.entries) == ["one  60.1 at 60", "code"])
    #expect(try await first.cluster.explain("news", at: start + 60).skipped?.note == "no server")
    try await first.cluster.resume(handler: "mail")
    await clock.advance(by: .seconds(5))
    #expect(Set(journal.entries.dropFirst(2)) == ["mail now", "mail later"])
    await clock.advance(by: .seconds(20))
    #expect(journal.entries.count { $0 == "mail each minute" } == 1)
  }

  @Test func `A job that was put for one date keeps it in a pause of its own`() async throws {
    let first = replica("a")
    try await first.cluster.put(name: "job", handler: "report", schedule: .at(start + 60))
    try await first.cluster.pause("job")
    await clock.advance(by: .seconds(100))
    try await first.cluster.resume("job")
    await clock.advance(by: .seconds(5))
    #expect(attempts == ["60.1 at 100"])
  }

  @Test(arguments: ["", "line\nbreak"])
  func `A handler whose name can't be one isn't paused, and neither is the cluster`(name: String) async throws
  {
    let cluster = makeReplica("a").cluster
    await #expect(throws: ClusterError.self) { try await cluster.pause(handler: name) }
    await #expect(throws: ClusterError.self) { try await cluster.resume(handler: name) }
    #expect(try await cluster.pauses().isEmpty)
  }
}
