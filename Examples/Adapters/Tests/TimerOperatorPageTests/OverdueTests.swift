import Foundation
import Hummingbird
import HummingbirdTesting
import Testing
import TimerOperatorPage
import TimerScheduling
import TimerSchedulingCluster
import TimerSchedulingTesting

/// Jobs that no replica takes: none has their handler, or all are busy.
@Suite(.timeLimit(.minutes(30))) struct OverdueTests {
  private static let line = "<a data-job href=\"timers/jobs?in=due&amp;order=next\">"
  private static let mark = "<span data-failed=\"true\">due since <time datetime=\""

  private struct NoPaper: Error {}

  private let clock = VirtualClock(date: Date(timeIntervalSince1970: 1_800_000_000))
  private let cluster: TimerCluster

  init() {
    cluster = TimerCluster(store: MemoryTimerStore(), scheduler: TimerScheduler(clock: clock), replica: "a")
    cluster.handle("bill") { _ in }
  }

  private func jobs(_ query: String = "", _ client: some TestClientProtocol) async throws -> String {
    try await client.execute(uri: "/timers/jobs\(query)", method: .get).text
  }

  @Test func `A job that no replica takes is marked and counted after a minute, unless it is paused`()
    async throws
  {
    try await cluster.put([
      NewJob(name: "fax <7>", handler: "fax"), NewJob(name: "later", handler: "fax", after: .seconds(3_600)),
      NewJob(name: "night", handler: "fax", schedule: .every(.seconds(7_200), starting: .aligned)),
      NewJob(name: "bill", handler: "bill", schedule: .every(.seconds(60), starting: .aligned)),
    ])
    let (line, mark) = (Self.line, Self.mark)
    try await Fixture(cluster: cluster, clusterClock: clock).app.test(.router) { client async throws in
      await clock.advance(by: .seconds(59))
      #expect(try await jobs("", client).contains(mark) == false)
      #expect(try await client.page().text.contains(line) == false)
      await clock.advance(by: .seconds(3))
      let page = try await jobs("?in=due", client)
      let text = page.table("jobs")
      #expect(text.contains("\(mark)2027-01-15T08:00:00Z\"") && text.contains("and no replica has taken it"))
      // No replica has read the schedule of the other one, either.
      #expect(text.contains("fax &lt;7&gt;") && text.contains("<bdi>night</bdi>"))
      #expect(!text.contains("<bdi>later</bdi>") && !text.contains("<bdi>bill</bdi>"))
      #expect(try await client.page().text.contains("\(line)2 jobs are overdue</a>"))

      try await cluster.pause("night")
      #expect(try await client.page().text.contains("\(line)1 job is overdue</a>"))
      try await cluster.pause(handler: "fax")
      #expect(try await jobs("", client).contains(mark) == false)
      #expect(try await client.page().text.contains(line) == false)
      try await cluster.resume(handler: "fax")
      try await cluster.pauseAll()
      #expect(try await !client.page().text.contains(line))
      try await cluster.resumeAll()
      #expect(try await client.page().text.contains("\(line)1 job is overdue</a>"))

      cluster.handle("fax") { _ in }
      await clock.advance(by: .seconds(5))
      #expect(try await jobs("", client).contains(mark) == false)
      #expect(try await client.page().text.contains(line) == false)
    }
  }

  @Test func `An attempt that no replica begins is overdue, too`() async throws {
    let retry = FailedRunBehavior.retry(attempts: 2, backoff: .constant(.seconds(100)))
    let handler = cluster.handle("fax", ifFailed: retry) { _ in throw NoPaper() }
    try await cluster.put(name: "fax", handler: "fax")
    await clock.advance(by: .seconds(5))
    handler.cancel()
    let line = Self.line
    try await Fixture(cluster: cluster, clusterClock: clock).app.test(.router) { client async throws in
      #expect(try await !client.page().text.contains(line))
      await clock.advance(by: .seconds(165))
      #expect(try await client.page().text.contains("\(line)1 job is overdue</a>"))
      let text = try await jobs("", client)
      #expect(
        text.contains("attempt 2 at <time datetime=")
          && text.contains(", no replica has taken it, after: NoPaper()"))
    }
  }

  @Test func `A run under way isn't overdue, however long it takes`() async throws {
    let name = try await cluster.put(handler: "slow")
    cluster.handle("slow") { [clock] _ in try await clock.sleep(for: .seconds(300)) }
    await clock.advance(by: .seconds(200))
    #expect(try await cluster.jobs().map(\.name) == [name])
    let line = Self.line
    try await Fixture(cluster: cluster, clusterClock: clock).app.test(.router) { client async throws in
      #expect(try await !client.page().text.contains(line))
      #expect(try await jobs("", client).contains("running on a since "))
    }
  }
}
