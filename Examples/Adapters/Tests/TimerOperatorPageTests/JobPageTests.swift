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

/// The page of one job, and the tables of handlers and replicas.
@Suite(.timeLimit(.minutes(30))) struct JobPageTests {
  private struct NoPaper: Error, CustomStringConvertible {
    var description: String { "<no paper>" + String(repeating: "!", count: 2_000) }
  }

  private let clock = VirtualClock(date: Date(timeIntervalSince1970: 1_800_000_000))
  private let cluster: TimerCluster

  init() {
    cluster = TimerCluster(store: MemoryTimerStore(), scheduler: TimerScheduler(clock: clock), replica: "a")
  }

  private func app() -> some ApplicationProtocol { Fixture(cluster: cluster, clusterClock: clock).app }

  private func get(_ path: String, _ client: some TestClientProtocol) async throws -> TestResponse {
    try await client.execute(uri: "/timers/\(path)", method: .get)
  }

  private func post(
    _ path: String, _ form: String, _ client: some TestClientProtocol
  ) async throws -> TestResponse {
    try await client.execute(
      uri: "/timers/\(path)", method: .post, headers: .ownPage.with(.form), body: ByteBuffer(string: form))
  }

  @Test func `A job's page has the whole payload and error, its dates and its attempts`() async throws {
    let payload = "{\"to\": \"<b>ann</b>\"}\n\u{202E}" + String(repeating: "x", count: 5_000)
    let retry = FailedRunBehavior.retry(attempts: 2, backoff: .constant(.seconds(10)))
    cluster.handle("mail", ifFailed: retry) { _ in throw NoPaper() }
    try await cluster.put(
      name: "a <job>/&?", handler: "mail", schedule: .every(.seconds(3_600), starting: .aligned),
      payload: payload)
    await clock.advance(by: .seconds(3_605))
    try await app().test(.router) { client async throws in
      let list = try await get("jobs", client).text
      #expect(
        list.contains(
          "<a href=\"job?name=a%20%3Cjob%3E/%26%3F\"><bdi>a &lt;job&gt;/<wbr>&amp;<wbr>?<wbr></bdi></a>"))
      let page = try await get("job?name=a%20%3Cjob%3E/%26%3F&in=retrying", client).text
      #expect(page.contains("{&quot;to&quot;: &quot;&lt;b&gt;ann&lt;/b&gt;&quot;}\n\\u{202E}xxx"))
      #expect(page.contains(String(repeating: "x", count: 5_000)) && !page.contains("<b>"))
      #expect(page.contains("&lt;no paper&gt;" + String(repeating: "!", count: 2_000) + "</span>"))
      #expect(page.contains("Every hour, at multiples of that on the wall clock."))
      let next = page.components(separatedBy: "<ol id=\"next\">")[1].components(separatedBy: "</ol>")[0]
      #expect(next.components(separatedBy: "<li>").count == 11 && next.contains("2027-01-15T10:00:00Z"))
      #expect(page.contains("id=\"back\" href=\"jobs?in=retrying\""))
      #expect(page.contains("value=\"giveUp\"") && page.contains("value=\"remove\" data-question=\"Remove "))

      await clock.advance(by: .seconds(20))
      let runs = try await get("job?name=a%20%3Cjob%3E/%26%3F", client).text.table("runs")
      #expect(runs.components(separatedBy: "<tr ").count == 4)
      #expect(runs.contains("data-label=\"Attempt\">2<") && runs.contains("data-label=\"Attempt\">1<"))
    }
  }

  @Test func `Names of which one contains the other, or is the beginning of it, have pages of their own`()
    async throws
  {
    let names = ["1", "11", "a1", "1a", "é", "é1"] + (0..<50).map { "1 \($0)" }
    try await cluster.put(names.map { NewJob(name: $0, handler: "none", payload: "payload of \($0)") })
    try await app().test(.router) { client async throws in
      for name in names {
        let address = try #require(name.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
        #expect(
          try await get("job?name=\(address)", client).text.contains(">payload of \(name)</pre>"), "\(name)")
      }
      #expect(try await get("job?name=none", client).status == .notFound)
      #expect(try await get("job", client).status == .notFound)
    }
  }

  @Test func `A job that is done still has its runs, and says that it has gone`() async throws {
    cluster.handle("mail") { _ in }
    try await cluster.put(name: "ann", handler: "mail")
    await clock.advance(by: .seconds(5))
    try await app().test(.router) { client async throws in
      let page = try await get("job?name=ann", client).text
      #expect(page.contains("id=\"gone\"") && page.table("runs").contains(">done</span>"))
      #expect(!page.contains("value=\"run\""))
    }
  }

  @Test func `What became of a date is a choice, as are its run and the runs of a range`() async throws {
    cluster.handle("bill") { run in
      if run.scheduledDate == Date(timeIntervalSince1970: 1_800_000_060) {
        try await self.clock.sleep(for: .seconds(130))
      }
    }
    try await cluster.put(
      name: "bill", handler: "bill", schedule: .every(.seconds(60), starting: .aligned))
    await clock.advance(by: .seconds(400))
    try await app().test(.router) { client async throws in
      let page = try await get("job?name=bill", client).text
      let choices = page.components(separatedBy: "<select name=\"at\">")[1].components(
        separatedBy: "</select>")[0]
      #expect(
        choices.contains(
          "<option value=\"1800000060000000\" data-key=\"1800000060000000\" data-time=\"2027-01-15T08:01:00Z\">"
        ))
      #expect(
        try await get("date?job=bill&at=1800000060000000", client).text.contains("data-outcome=\"done\""))
      // Dates that a run has left out stand below it, with the reason.
      let runs = page.table("runs")
      #expect(runs.contains("left out") && runs.contains("a newer date was due"))
      let links = runs.components(separatedBy: "href=\"").dropFirst().compactMap {
        $0.split(separator: "\"").first
      }
      for link in links {
        #expect(try await get(String(link).replacing("&amp;", with: "&"), client).status == .ok, "\(link)")
      }

      let form = "job=bill&action=run&at=1800000120000000"
      let answer = try await post("job?name=bill&q=b", form, client)
      #expect(answer.status == .seeOther && answer.headers[.location] == "job?name=bill&q=b")
      await clock.advance(by: .seconds(5))
      let asked = try #require(try await cluster.history(of: "bill").first { $0.isAsked })
      #expect(asked.scheduledDate == Date(timeIntervalSince1970: 1_800_000_120))
      let range = "job=bill&action=backfill&from=1800000060000000&to=1800000180000000"
      #expect(try await post("job?name=bill", range, client).status == .seeOther)
      await clock.advance(by: .seconds(200))
      #expect(try await cluster.history(of: "bill").count { $0.isAsked && $0.outcome == .done } == 4)
    }
  }

  @Test func `An operator removes a job, and is led to the list`() async throws {
    try await cluster.put(name: "ann", handler: "mail")
    cluster.schedule(.every(.seconds(60), starting: .aligned), name: "own") { _ in }
    await clock.advance(by: .seconds(1))
    try await app().test(.router) { client async throws in
      let answer = try await post("job?name=ann&q=n", "job=ann&action=remove", client)
      #expect(answer.status == .seeOther && answer.headers[.location] == "jobs?q=n")
      #expect(try await cluster.jobs().map(\.name) == ["own"])
      #expect(try await post("job?name=ann", "job=ann&action=remove", client).status == .notFound)
      #expect(try await post("job?name=own", "job=own&action=remove", client).status == .conflict)
    }
  }

  // MARK: Handlers and replicas

  @Test func `Each handler has its counts, its oldest age and links to the jobs that were counted`()
    async throws
  {
    let retry = FailedRunBehavior.retry(attempts: 2, backoff: .constant(.seconds(10_000)))
    cluster.handle("mail", limit: 1, ifFailed: retry) { run in
      if run.payload == "bad" { throw NoPaper() }
      try await self.clock.sleep(for: .seconds(86_400))
    }
    cluster.handle("dead", ifFailed: .leave) { _ in throw NoPaper() }
    try await cluster.put(name: "a", handler: "mail", payload: "bad")
    try await cluster.put((1...3).map { NewJob(name: "<\($0)>", handler: "dead") })
    await clock.advance(by: .seconds(5))
    try await cluster.put((1...5).map { NewJob(name: "long \($0)", handler: "mail") })
    await clock.advance(by: .seconds(90))
    try await app().test(.router) { client async throws in
      let page = try await get("jobs?q=none", client).text
      let rows = page.table("handlers").components(separatedBy: "<tr role=\"row\" data-key=").dropFirst()
      #expect(rows.count == 2)
      let mail = try #require(rows.first { $0.hasPrefix("\"mail\"") })
      #expect(mail.contains("<a href=\"jobs?handler=mail&amp;in=due&amp;order=next\">4</a>"))
      #expect(mail.contains("<span data-failed=\"true\">1:3"))
      #expect(mail.contains("<a href=\"jobs?handler=mail&amp;in=running\">1</a>"))
      #expect(mail.contains("<a href=\"jobs?handler=mail&amp;in=retrying\" data-failed=\"true\">1</a>"))
      let dead = try #require(rows.first { $0.hasPrefix("\"dead\"") })
      #expect(
        dead.contains(
          "<a href=\"jobs?handler=dead&amp;in=failed&amp;order=-last\" data-failed=\"true\">3</a>"))
      let failed = try await get("jobs?handler=dead&in=failed&order=-last", client).text
      #expect(failed.table("jobs").contains("failed for good: &lt;no paper&gt;!!!"))
      #expect(failed.contains("<caption>3 jobs.</caption>"))
      let replicas = page.table("replicas")
      #expect(replicas.contains("<bdi>a</bdi>") && replicas.contains("data-label=\"Runs under way\">1<"))
      #expect(replicas.contains(" left</td>"))
      #expect(page.contains("5 runs in the last day, 4 failed"))

      #expect(
        try await post("pauses", "handler=mail&action=pauseHandler&reason=night", client).status == .seeOther)
      let paused = try await get("jobs?handler=mail", client).text
      #expect(paused.table("handlers").contains("value=\"resumeHandler\""))
      #expect(paused.contains("The handler mail is paused since"))
      #expect(paused.table("handlers").contains("data-failed=\"false\">1:3"))
    }
  }

  @Test func `A failed job's row has its error, though newer runs fill the store's newest`() async throws {
    cluster.handle("mail", ifFailed: .leave) { run in if run.payload == "bad" { throw NoPaper() } }
    try await cluster.put(name: "bad", handler: "mail", payload: "bad")
    await clock.advance(by: .seconds(5))
    for _ in 0..<6 {
      try await cluster.put((0..<100).map { _ in NewJob(handler: "mail") })
      await clock.advance(by: .seconds(5))
    }
    #expect(try await cluster.history(limit: 500).contains { $0.job == "bad" } == false)
    try await app().test(.router) { client async throws in
      for _ in 0..<2 {
        #expect(try await get("jobs?in=failed", client).text.contains("failed for good: &lt;no paper&gt;"))
      }
    }
  }
}
