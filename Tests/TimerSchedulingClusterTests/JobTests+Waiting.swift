import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingCluster
import TimerSchedulingTesting

/// Attempts that wait, and requests, which operators see and change.
extension JobTests {
  private static let slowly = FailedRunBehavior.retry(attempts: 3, backoff: .constant(.seconds(3_600)))

  @Test
  func `An attempt that waits is shown with its date and the error before, and begins when it is told to`()
    async throws
  {
    let cluster = replica("a", ifFailed: Self.slowly, working: 100).cluster
    try await cluster.put(name: "job", handler: "report", schedule: .at(start + 60))
    await clock.advance(by: .seconds(70))
    let waiting = try #require(try await cluster.jobs().first?.retry)
    #expect(waiting.attempt == 2 && waiting.failure == "Broken()")
    #expect(waiting.date >= start + 3_661 && waiting.date < start + 3_662)
    try await cluster.retry("job")
    await clock.advance(by: .seconds(2))
    #expect(attempts == ["60.1 at 60", "60.2 at 70"])
    await clock.advance(by: .seconds(40))
    try await cluster.retry("job")
    await clock.advance(by: .seconds(2))
    #expect(attempts.last == "60.3 at 112")
    #expect(try await cluster.jobs().isEmpty)
    let error = await #expect(throws: ClusterError.self) { try await cluster.retry("job") }
    #expect(error?.description.contains("no job") == true)
  }

  @Test func `An attempt that waits can be given up, and later dates come`() async throws {
    let cluster = replica("a", ifFailed: Self.slowly, working: 100).cluster
    try await cluster.put(name: "job", handler: "report", schedule: minutely)
    await clock.advance(by: .seconds(70))
    try await cluster.cancelRun(of: "job", by: "ann")
    await clock.advance(by: .seconds(60))
    #expect(attempts == ["60.1 at 60", "120.1 at 120"])
    let job = try #require(try await cluster.jobs().first)
    #expect(job.failedCount == 1 && job.doneCount == 1 && job.retry == nil)
    #expect(try await cluster.history().map(\.failure) == [nil, "Broken() (given up by ann)"])
    #expect(try await cluster.explain("job", at: start + 60).outcome == .failed)
    for call in [{ try await cluster.cancelRun(of: "job") }, { try await cluster.retry("job") }]
      as [@Sendable () async throws -> Void]
    {
      let error = await #expect(throws: ClusterError.self) { try await call() }
      #expect(error?.description.contains("attempt of") == true)
    }
  }

  @Test func `A job that has failed for good begins anew with all attempts, and leaves when it is done`()
    async throws
  {
    let retry = FailedRunBehavior.retry(attempts: 2, backoff: .constant(.seconds(1)))
    let cluster = replica("a", ifFailed: retry, working: 100).cluster
    try await cluster.put(name: "job", handler: "report", schedule: .at(start + 60))
    await clock.advance(by: .seconds(90))
    #expect(attempts == ["60.1 at 60", "60.2 at 62"])
    try await cluster.retry("job")
    await clock.advance(by: .seconds(20))
    #expect(attempts.dropFirst(2) == ["60.1 at 90", "60.2 at 92"])
    try await cluster.retry("job")
    await clock.advance(by: .seconds(5))
    #expect(attempts.dropFirst(4) == ["60.1 at 110"])
    #expect(try await cluster.jobs().isEmpty)
  }

  @Test func `A backfill is shown with what is left of it, and what hasn't begun can be withdrawn`()
    async throws
  {
    let cluster = replica("a", work: .seconds(10)).cluster
    try await cluster.put(
      name: "job", handler: "report", schedule: .every(.seconds(3_600), starting: .aligned))
    await clock.advance(by: .seconds(1))
    try await cluster.backfill("job", in: start - 10_800...start)
    try await cluster.run("job", for: start - 1)
    #expect(
      try await cluster.jobs().map(\.requests) == [[start - 10_800...start, start - 1...start - 1]])
    await clock.advance(by: .seconds(15))
    #expect(attempts == ["-10800.1 at 1", "-7200.1 at 11"])
    let left = try #require(try await cluster.jobs().first?.requests.first)
    #expect(left.lowerBound > start - 10_800 && left.upperBound == start)
    try await cluster.cancelRequests(of: "job")
    #expect(try await cluster.jobs().map(\.requests) == [[]])
    await clock.advance(by: .seconds(100))
    #expect(attempts.count == 2)
    #expect(try await cluster.jobs().map(\.doneCount) == [2])
    await #expect(throws: ClusterError.self) { try await cluster.cancelRequests(of: "none") }
  }
}
