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

/// The acts of operators on a cluster's jobs.
struct ClusterTests {
  private let clock = VirtualClock(date: Date(timeIntervalSince1970: 1_800_000_000))

  /// A replica with a job each minute that takes 90 s.
  private func makeCluster() -> TimerCluster {
    let scheduler = TimerScheduler(clock: clock)
    let cluster = TimerCluster(store: MemoryTimerStore(), scheduler: scheduler, replica: "a")
    cluster.handle("bill") { [clock] _ in try await clock.sleep(for: .seconds(90)) }
    return cluster
  }

  private func post(_ form: String, _ client: some TestClientProtocol) async throws -> TestResponse {
    try await client.execute(
      uri: "/timers/job?q=bill", method: .post, headers: .ownPage.with(.form).with(.adminToken),
      body: ByteBuffer(string: form))
  }

  @Test func `An operator pauses, resumes and runs a job, with name and reason, and the trail has it`()
    async throws
  {
    let cluster = makeCluster()
    try await cluster.put(
      name: "bill <7>", handler: "bill", schedule: .every(.seconds(60), starting: .aligned))
    let fixture = Fixture(access: .ada(), cluster: cluster)
    try await fixture.app.test(.router) { client in
      let paused = try await post("job=bill+%3C7%3E&action=pause&reason=a+%3Cmove%3E", client)
      #expect(paused.status == .seeOther && paused.headers[.location] == "jobs?q=bill")
      #expect(try await cluster.jobs().map(\.pausedBy) == ["ada"])
      let page = try await client.execute(uri: "/timers/jobs?q=BILL", method: .get, headers: .adminToken).text
      let row = page.table("jobs")
      #expect(row.contains("paused by ada: a &lt;move&gt;") && row.contains("value=\"resume\""))
      #expect(!row.contains("value=\"pause\""))
      let none = try await client.execute(uri: "/timers/jobs?q=none", method: .get, headers: .adminToken).text
      #expect(!none.contains("&lt;7&gt;"))

      #expect(try await post("job=bill+%3C7%3E&action=resume", client).status == .seeOther)
      #expect(try await post("job=bill+%3C7%3E&action=run", client).status == .seeOther)
      await clock.advance(by: .seconds(5))
      #expect(try await cluster.history().count == 1)

      #expect(try await post("job=other&action=run", client).status == .notFound)
      #expect(try await post("job=bill+%3C7%3E&action=stop", client).status == .notFound)
      let outcomes = fixture.page.trail.entries.map { "\($0.action) \($0.outcome)" }
      #expect(outcomes.contains("run There is no such job.") && outcomes.contains("pause done"))
    }
  }

  @Test func `An operator cancels a run, and has dates of a range run`() async throws {
    let cluster = makeCluster()
    try await cluster.put(
      name: "bill", handler: "bill", schedule: .every(.seconds(3_600), starting: .aligned))
    try await Fixture(access: .ada(), cluster: cluster).app.test(.router) { client in
      #expect(try await post("job=bill&action=cancel", client).status == .conflict)
      #expect(try await post("job=bill&action=run", client).status == .seeOther)
      await clock.advance(by: .seconds(5))
      let page = try await client.execute(uri: "/timers/jobs", method: .get, headers: .adminToken).text
      #expect(page.contains("value=\"cancel\" data-question=\"Cancel the run of bill?\""))
      #expect(page.contains("value=\"run\">") && page.contains("value=\"pause\">"))
      #expect(try await post("job=bill&action=cancel", client).status == .seeOther)
      await clock.advance(by: .seconds(30))
      #expect(try await cluster.history().map(\.outcome) == [.failed])
      #expect(try await cluster.history().first?.failure?.contains("cancelled by ada") == true)

      let range = "from=2027-01-15T03:00:00Z&to=2027-01-15T05:00:00Z"
      #expect(try await post("job=bill&action=backfill&\(range)", client).status == .seeOther)
      await clock.advance(by: .seconds(300))
      let dates = try await cluster.history().filter { $0.outcome == .done }.compactMap(\.scheduledDate)
      let five = try Date("2027-01-15T05:00:00Z", strategy: .iso8601)
      #expect(dates == [five, five - 3_600, five - 7_200])

      let reversed = "from=2027-01-15T05:00:00Z&to=2027-01-15T03:00:00Z"
      for dates in [reversed, "from=yesterday&to=today", ""] {
        #expect(try await post("job=bill&action=backfill&\(dates)", client).status == .badRequest)
      }
    }
  }

  /// A cluster with a handler whose runs fail, and are tried again after an hour.
  private func makeFailingCluster() -> TimerCluster {
    let cluster = TimerCluster(
      store: MemoryTimerStore(), scheduler: TimerScheduler(clock: clock), replica: "a")
    let retry = FailedRunBehavior.retry(attempts: 3, backoff: .constant(.seconds(3_600)))
    cluster.handle("bill", ifFailed: retry) { _ in throw NoPaper() }
    return cluster
  }

  @Test func `An operator sees an attempt that waits, begins it and gives it up`() async throws {
    let cluster = makeFailingCluster()
    try await cluster.put(name: "bill", handler: "bill", payload: "7")
    await clock.advance(by: .seconds(5))
    let fixture = Fixture(access: .ada(), cluster: cluster)
    try await fixture.app.test(.router) { client in
      func page() async throws -> String {
        try await client.execute(uri: "/timers/jobs", method: .get, headers: .adminToken).text
      }
      let waiting = try await page()
      #expect(
        waiting.contains("attempt 2 at <time datetime=\"2027-01-15T09:00:")
          && waiting.contains("after: NoPaper()"))
      #expect(waiting.contains("value=\"retry\">"))
      #expect(waiting.contains("value=\"giveUp\" data-question=\"Give up the waiting attempt of bill?\""))
      #expect(try await post("job=bill&action=retry", client).status == .seeOther)
      await clock.advance(by: .seconds(5))
      #expect(try await page().contains("attempt 3 at "))
      #expect(try await post("job=bill&action=giveUp", client).status == .seeOther)
      await clock.advance(by: .seconds(5))
      let failed = try await page()
      #expect(failed.contains("failed for good") && failed.contains("(given up by ada)"))
      #expect(!failed.contains("value=\"giveUp\"") && failed.contains("value=\"retry\""))
      #expect(try await post("job=bill&action=giveUp", client).status == .conflict)
      #expect(try await post("job=bill&action=retry", client).status == .seeOther)
      await clock.advance(by: .seconds(5))
      #expect(try await page().contains("attempt 2 at "))
      #expect(try await post("job=other&action=retry", client).status == .notFound)
      let outcomes = fixture.page.trail.entries.map { "\($0.action) \($0.outcome)" }
      #expect(outcomes.contains("giveUp done") && outcomes.contains("retry done"))
    }
  }

  @Test func `An operator withdraws what was asked for`() async throws {
    let cluster = makeCluster()
    try await cluster.put(
      name: "bill", handler: "bill", schedule: .every(.seconds(3_600), starting: .aligned))
    await clock.advance(by: .seconds(1))
    try await Fixture(access: .ada(), cluster: cluster).app.test(.router) { client in
      func page() async throws -> String {
        try await client.execute(uri: "/timers/jobs", method: .get, headers: .adminToken).text
      }
      #expect(try await !page().contains("value=\"withdraw\""))
      let range = "from=2027-01-15T03:00:00Z&to=2027-01-15T05:00:00Z"
      #expect(try await post("job=bill&action=backfill&\(range)", client).status == .seeOther)
      let asked = try await page()
      #expect(asked.contains("1 asked for<"))
      #expect(asked.contains("value=\"withdraw\" data-question=\"Withdraw the requests for bill?\""))
      #expect(try await post("job=bill&action=withdraw", client).status == .seeOther)
      #expect(try await !page().contains(" asked for<"))
      await clock.advance(by: .seconds(300))
      #expect(try await cluster.history().count <= 1)
    }
  }

  @Test func `An operator pauses a handler and the cluster, and ends both pauses`() async throws {
    let cluster = makeCluster()
    let fixture = Fixture(access: .ada(), cluster: cluster)
    try await fixture.app.test(.router) { client in
      func pause(_ form: String) async throws -> HTTPResponse.Status {
        try await client.execute(
          uri: "/timers/pauses?q=bill", method: .post, headers: .ownPage.with(.form).with(.adminToken),
          body: ByteBuffer(string: form)
        ).status
      }
      let before = try await client.execute(uri: "/timers/jobs", method: .get, headers: .adminToken).text
      #expect(before.contains("value=\"pauseAll\" data-question=\"Pause all jobs of the cluster?\""))
      #expect(before.contains("<dialog id=\"question\"") && before.contains(" src=\"ask.js\" defer"))
      #expect(try await pause("handler=%3Cbill%3E&action=pauseHandler&reason=a+%3Cmove%3E") == .seeOther)
      #expect(try await pause("action=pauseAll&reason=night") == .seeOther)
      let pauses = try await cluster.pauses()
      #expect(pauses.map(\.handler) == [nil, "<bill>"] && pauses.map(\.by) == ["ada", "ada"])
      let page = try await client.execute(uri: "/timers/jobs", method: .get, headers: .adminToken).text
      #expect(page.contains("The cluster is paused by ada since <time datetime=\"2027-01-15T08:00:00Z\">"))
      #expect(page.contains("The handler &lt;bill&gt; is paused by ada") && page.contains("a &lt;move&gt;"))
      #expect(page.contains("value=\"resumeAll\"") && !page.contains("value=\"pauseAll\""))
      #expect(try await pause("handler=%3Cbill%3E&action=resumeHandler") == .seeOther)
      #expect(try await pause("action=resumeAll") == .seeOther)
      #expect(try await cluster.pauses().isEmpty)
      #expect(try await pause("action=pauseHandler") == .badRequest)
      #expect(try await pause("action=stop") == .notFound)
      #expect(try await cluster.pauses().isEmpty)
      let trail = fixture.page.trail.entries.map { "\($0.action) \($0.outcome)" }
      #expect(trail.contains("pauseAll done") && trail.contains("resumeHandler done"))
    }
  }

  @Test func `Without a token nothing is paused, and from another site neither`() async throws {
    let cluster = makeCluster()
    try await Fixture(access: .ada(isPublic: true), cluster: cluster).app.test(.router) { client in
      let answer = try await client.execute(
        uri: "/timers/pauses", method: .post, headers: .ownPage.with(.form),
        body: ByteBuffer(string: "action=pauseAll"))
      #expect(answer.status == .unauthorized)
    }
    try await Fixture(cluster: cluster).app.test(.router) { client in
      let answer = try await client.execute(
        uri: "/timers/pauses", method: .post, headers: HTTPFields.form.with([.origin: "http://evil.example"]),
        body: ByteBuffer(string: "action=pauseAll"))
      #expect(answer.status == .forbidden)
    }
    #expect(try await cluster.pauses().isEmpty)
  }

  @Test func `Without a token nothing is done to a job, and from another site neither`() async throws {
    let cluster = makeCluster()
    try await cluster.put(name: "bill", handler: "bill", schedule: .every(.seconds(60), starting: .aligned))
    try await Fixture(access: .ada(isPublic: true), cluster: cluster).app.test(.router) { client in
      let answer = try await client.execute(
        uri: "/timers/job", method: .post, headers: .ownPage.with(.form),
        body: ByteBuffer(string: "job=bill&action=pause"))
      #expect(answer.status == .unauthorized)
    }
    try await Fixture(cluster: cluster).app.test(.router) { client in
      let answer = try await client.execute(
        uri: "/timers/job", method: .post, headers: HTTPFields.form.with([.origin: "http://evil.example"]),
        body: ByteBuffer(string: "job=bill&action=pause"))
      #expect(answer.status == .forbidden)
    }
    #expect(try await cluster.jobs().map(\.isPaused) == [false])
  }

  @Test func `The page says why a date was run or wasn't`() async throws {
    let cluster = makeCluster()
    try await cluster.put(
      name: "<bill>", handler: "bill", schedule: .every(.seconds(60), starting: .aligned))
    await clock.advance(by: .seconds(400))
    try await Fixture(access: .ada(isPublic: true), cluster: cluster).app.test(.router) { client in
      func date(_ time: String, of job: String = "%3Cbill%3E") async throws -> TestResponse {
        try await client.execute(uri: "/timers/date?job=\(job)&date=\(time)", method: .get)
      }
      let done = try await date("2027-01-15T08:01:00Z")
      #expect(done.text.contains("data-outcome=\"done\"") && done.text.contains("attempt 1 on a"))
      #expect(done.text.contains("&lt;bill&gt;") && !done.text.contains("<bill>"))
      let skipped = try await date("2027-01-15T08:03:00Z")
      #expect(skipped.text.contains("The run before was going on"))
      #expect(try await date("tomorrow").status == .badRequest)
      #expect(try await date("2027-01-15T08:03:00Z", of: "other").status == .notFound)
    }
    try await Fixture(access: .ada(), cluster: cluster).app.test(.router) { client in
      let answer = try await client.execute(uri: "/timers/date?job=bill&date=x", method: .get)
      #expect(answer.status == .unauthorized)
    }
  }
}

private struct NoPaper: Error {}
