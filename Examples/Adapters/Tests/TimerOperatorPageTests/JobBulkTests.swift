import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import Testing
import TimerOperatorPage
import TimerScheduling
import TimerSchedulingCluster
import TimerSchedulingTesting

/// Actions on many jobs: those that are selected, and all that match.
@Suite(.timeLimit(.minutes(30))) struct JobBulkTests {
  private struct NoPaper: Error {}

  private let clock = VirtualClock(date: Date(timeIntervalSince1970: 1_800_000_000))
  private let cluster: TimerCluster
  private let fixture: Fixture

  init() {
    cluster = TimerCluster(store: MemoryTimerStore(), scheduler: TimerScheduler(clock: clock), replica: "a")
    fixture = Fixture(access: .ada(), cluster: cluster, clusterClock: clock)
  }

  /// Puts jobs that fail for good, which runs of the handler `bill` do well if they are retried.
  private func putDead(_ count: Int) async throws {
    let dead = cluster.handle("bill", ifFailed: .leave) { _ in throw NoPaper() }
    try await cluster.put((1...count).map { NewJob(name: "bill <\(1_000 + $0)>", handler: "bill") })
    await clock.advance(by: .seconds(10))
    #expect(try await cluster.jobs(in: .failed, limit: 1_000).count == count)
    dead.cancel()
  }

  private func act(
    _ form: String, query: String = "", _ client: some TestClientProtocol, acceptsJSON: Bool = true
  ) async throws -> TestResponse {
    try await client.execute(
      uri: "/timers/many\(query)", method: .post,
      headers: .ownPage.with(.form).with(.adminToken).with(acceptsJSON ? [.accept: "application/json"] : [:]),
      body: ByteBuffer(string: form))
  }

  private func change(
    _ number: Int, _ change: String, _ client: some TestClientProtocol
  ) async throws -> TestResponse {
    try await client.execute(
      uri: "/timers/work?work=\(number)&change=\(change)", method: .post,
      headers: .ownPage.with(.form).with(.adminToken).with([.accept: "application/json"]))
  }

  private func jobs(_ query: String, _ client: some TestClientProtocol) async throws -> String {
    try await client.execute(uri: "/timers/jobs\(query)", method: .get, headers: .adminToken).text
  }

  @Test func `All 120 dead jobs are retried at once, if as many match as the operator was asked for`()
    async throws
  {
    try await putDead(120)
    try await cluster.put((1...10).map { NewJob(name: "other \($0)", handler: "other") })
    cluster.handle("bill") { _ in }
    try await fixture.app.test(.router) { client async throws in
      let query = "?handler=bill&in=failed&order=-last"
      let asked = try await act("action=retry&all=yes", query: query, client)
      #expect(asked.status == .conflict && asked.headers[.matchCount] == "120")
      #expect(asked.text == "120 jobs match now.\n")
      let wrong = try await act("action=retry&all=yes&expected=119", query: query, client)
      #expect(wrong.status == .conflict)
      #expect(wrong.text == "120 jobs match now, and not 119. Nothing was changed.\n")
      #expect(try await cluster.jobs(in: .failed, limit: 1_000).count == 120)

      let done = try await act("action=retry&all=yes&expected=120", query: query, client)
      #expect(done.status == .ok && done.text.hasSuffix("120 jobs were retried.\n"))
      await clock.advance(by: .seconds(10))
      #expect(try await cluster.jobs(in: .failed).isEmpty)
      #expect(try await cluster.history(limit: 1_000).count { $0.outcome == .done } == 120)
      let entry = try #require(fixture.page.trail.entries.first)
      #expect(entry.action == "retry" && entry.count == 120 && entry.operatorName == "ada")
      #expect(entry.timers == "jobs?handler=bill&in=failed" && entry.outcome == "120 jobs were retried.")
      let none = try await act("action=retry&all=yes", query: query, client)
      #expect(none.status == .conflict && none.headers[.matchCount] == "0")
    }
  }

  @Test func `Without a script the question is a page`() async throws {
    try await putDead(3)
    try await fixture.app.test(.router) { client async throws in
      let page = try await act("action=remove&all=yes", query: "?in=failed", client, acceptsJSON: false)
        .text
      #expect(
        page.contains("<p>Remove 3 jobs that match?</p>") && page.contains("name=\"expected\" value=\"3\""))
      let done = try await act(
        "action=remove&all=yes&expected=3", query: "?in=failed", client, acceptsJSON: false)
      #expect(done.status == .seeOther && done.headers[.location] == "jobs?in=failed")
      #expect(try await jobs("", client).contains("3 jobs will be removed in 10 s. <button>Undo</button>"))
    }
  }

  @Test func `A removal is held back for ten seconds, and then leaves what doesn't match any more`()
    async throws
  {
    try await putDead(5)
    try await fixture.app.test(.router) { client async throws in
      func remove() async throws {
        let answer = try await act(
          "action=remove&all=yes&expected=5", query: "?in=failed", client, acceptsJSON: false)
        #expect(answer.status == .seeOther)
      }
      try await remove()
      await fixture.clock.advance(by: .milliseconds(9_999))
      #expect(try await change(1, "undo", client).text == "No job was removed.\n")
      await fixture.clock.advance(by: .seconds(20))
      #expect(try await cluster.jobs(in: .failed).count == 5)

      try await remove()
      try await cluster.retry("bill <1003>")
      await fixture.clock.advance(by: .seconds(10))
      for _ in 0..<1_000 where fixture.page.trail.entries[0].outcome == "under way" { await Task.yield() }
      #expect(fixture.page.trail.entries[0].outcome == "4 jobs were removed.")
      #expect(try await cluster.jobs().map(\.name) == ["bill <1003>"])
    }
  }

  @Test func `Selected jobs are paused, and the pause is undone but for those that were paused before`()
    async throws
  {
    try await cluster.put((1...4).map { NewJob(name: "a&b \($0)", handler: "none", after: .seconds(1_000)) })
    try await cluster.pause("a&b 1")
    try await fixture.app.test(.router) { client async throws in
      let form = "action=pause&name[]=a%26b+1&name[]=a%26b+2&name[]=a%26b+3&name[]=gone"
      let paused = try await act(form, client)
      #expect(paused.text.hasSuffix("2 jobs were paused.\n"))
      #expect(try await cluster.jobs(in: .paused).map(\.name) == ["a&b 1", "a&b 2", "a&b 3"])
      let undone = try await change(1, "undo", client)
      #expect(undone.text.hasSuffix("2 jobs were resumed.\n"))
      #expect(try await cluster.jobs(in: .paused).map(\.name) == ["a&b 1"])
      #expect(try await change(1, "undo", client).status == .conflict)
    }
  }

  @Test func `Work on many jobs can be stopped, and says how far it has come`() async throws {
    let slow = Fixture(lookDuration: .milliseconds(4), cluster: cluster, clusterClock: clock)
    try await cluster.put(
      (1...100).map { NewJob(name: "job \(1_000 + $0)", handler: "none", after: .seconds(1_000)) })
    try await slow.app.test(.router) { client async throws in
      await slow.page.jobDesk?.betweenSlices { work in
        guard work.number == 1 else { return }
        #expect((try? await change(1, "stop", client))?.status == .ok)
      }
      let response = try await act("action=pause&all=yes&expected=100", client)
      #expect(response.text.contains("Stopped: 3 jobs of 100 were paused.\n"))
      #expect(try await cluster.jobs(in: .paused, limit: 1_000).count == 3)
    }
  }

  @Test func `Work ends with the store's error, and says what was done until then`() async throws {
    let store = PostgresTimerStore { _, _ in throw NoPaper() }
    let broken = Fixture(cluster: TimerCluster(store: store, lease: .seconds(15)))
    try await broken.app.test(.router) { client async throws in
      #expect(try await act("action=pause&all=yes", client).status == .serviceUnavailable)
      let answer = try await act("action=retry&name[]=a", client)
      #expect(answer.text.contains("No job was retried. The cluster's store can't be asked: NoPaper()"))
    }
  }

  @Test func `Nothing is done without a token, from another site, or by an action that isn't one of many`()
    async throws
  {
    try await putDead(1)
    let form = ByteBuffer(string: "action=retry&all=yes&expected=1")
    try await fixture.app.test(.router) { client async throws in
      for (headers, status) in [
        (HTTPFields.ownPage.with(.form), HTTPResponse.Status.unauthorized),
        (HTTPFields.form.with(.adminToken).with([.origin: "http://evil.example"]), .forbidden),
      ] {
        let answer = try await client.execute(
          uri: "/timers/many", method: .post, headers: headers, body: form)
        #expect(answer.status == status)
        let work = try await client.execute(
          uri: "/timers/work?work=1&change=stop", method: .post, headers: headers)
        #expect(work.status == status)
      }
      for action in ["backfill", "withdraw", "stop", ""] {
        #expect(try await act("action=\(action)&all=yes&expected=1", client).status == .notFound)
      }
      #expect(try await cluster.jobs(in: .failed).count == 1)
    }
  }
}
