import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Testing
import TimerOperatorPage
import TimerScheduling
import TimerSchedulingCluster
import TimerSchedulingTesting

/// The pages, the filters and the columns of the view of a cluster's jobs.
@Suite(.timeLimit(.minutes(30))) struct JobsViewTests {
  private struct NoPaper: Error {}
  private struct NoDatabase: Error {}

  private let clock = VirtualClock(date: Date(timeIntervalSince1970: 1_800_000_000))
  private let cluster: TimerCluster

  init() {
    cluster = TimerCluster(store: MemoryTimerStore(), scheduler: TimerScheduler(clock: clock), replica: "a")
  }

  /// Puts jobs that wait, as no replica has their handler.
  private func put(_ count: Int, prefix: String = "job") async throws {
    try await cluster.put((1...count).map { NewJob(name: "\(prefix) \(1_000 + $0)", handler: "none") })
  }

  private func page(_ query: String = "", _ client: some TestClientProtocol) async throws -> String {
    try await client.execute(uri: "/timers/jobs\(query)", method: .get).text
  }

  private func names(_ text: String) -> [String] { text.jobNames }

  private func address(_ title: String, in text: String) -> String? { text.jobsAddress(of: title) }

  private func body(_ cluster: TimerCluster?) async throws -> String {
    let fixture = Fixture(cluster: cluster)
    return try await fixture.app.test(.live) { client in
      try await client.execute(uri: "/timers/jobs", method: .get) { String(buffer: $0.body) }
    }
  }

  @Test func `The page shows a cluster's jobs and their last runs`() async throws {
    cluster.schedule(.every(.seconds(60), starting: .aligned), name: "<report>") { run in
      if run.scheduledDate == Date(timeIntervalSince1970: 1_800_000_060) { throw NoPaper() }
    }
    await clock.advance(by: .seconds(130))
    let page = try await body(cluster)
    #expect(page.contains("<caption>1 job.</caption>"))
    #expect(page.contains("&lt;report&gt;") && !page.contains("<report>"))
    #expect(page.contains("2027-01-15T08:02:00Z") && page.contains("2027-01-15T08:03:00Z"))
    #expect(page.contains("NoPaper()") && page.contains(">failed<") && page.contains(">done<"))
  }

  @Test func `The page comes without an answer of the store, and says so`() async throws {
    let store = PostgresTimerStore { _, _ in throw NoDatabase() }
    let page = try await body(TimerCluster(store: store, lease: .seconds(15)))
    #expect(page.contains("can't be asked") && page.contains("NoDatabase()"))
    #expect(page.contains("aria-current=\"page\">Jobs</a>"))
    let timers = try await Fixture(cluster: TimerCluster(store: store, lease: .seconds(15))).app.test(.router)
    {
      try await $0.page().text
    }
    #expect(
      timers.contains("id=\"timers\"") && timers.contains(">the cluster&#39;s store doesn&#39;t answer</a>"))
  }

  @Test func `Without a cluster there is no view of jobs, and no link to it`() async throws {
    try await Fixture().app.test(.router) { client async throws in
      #expect(try await client.page("/jobs").status == .notFound)
      #expect(try await !client.page().text.contains(">Jobs</a>"))
    }
  }

  // MARK: Pages

  @Test func `All jobs of a search are reached page by page, in the order of their names`() async throws {
    try await put(120)
    try await put(3, prefix: "other")
    try await Fixture(cluster: cluster).app.test(.router) { client async throws in
      var (all, query, count) = ([String](), Optional("?q=job"), 0)
      while let next = query, count < 10 {
        let text = try await page(next, client)
        all += names(text)
        query = address("Next page", in: text)
        count += 1
      }
      #expect(count == 3 && all == (1...120).map { "job \(1_000 + $0)" })
      let second = try await page("?q=job&after=job%201050", client)
      #expect(second.contains("<caption>Jobs job 1051 to job 1100.</caption>"))
      #expect(address("First page", in: second) == "?q=job")
      let few = try await page("?q=other", client)
      #expect(few.contains("<caption>3 jobs.</caption>") && !few.contains("id=\"pages\""))
    }
  }

  @Test func `A full page without a further job has no link to one`() async throws {
    try await put(JobQuery.pageSize)
    try await Fixture(cluster: cluster).app.test(.router) { client async throws in
      #expect(try await !page(client: client).contains("Next page"))
    }
    try await put(JobQuery.pageSize + 1)
    try await Fixture(cluster: cluster).app.test(.router) { client async throws in
      #expect(try await page(client: client).contains("Next page"))
    }
  }

  private func page(client: some TestClientProtocol) async throws -> String { try await page("", client) }

  @Test func `Names and what stands in the address are escaped`() async throws {
    try await cluster.put(
      (1...60).map { NewJob(name: "<b>&\"\(1_000 + $0)", handler: "<i>") })
    try await Fixture(cluster: cluster).app.test(.router) { client async throws in
      let text = try await page("?q=%3Cb%3E&in=%22%3E%3Cs%3E", client)
      #expect(!text.contains("<b>") && !text.contains("<i>") && !text.contains("<s>"))
      #expect(text.contains("&lt;b&gt;&amp;&quot;1001") && text.contains("\">&lt;i&gt;</a></small>"))
      let next = try #require(address("Next page", in: text))
      #expect(names(try await page(next, client)).count == 10)
    }
  }

  @Test func `A filter shows the jobs that wait for a retry, that have failed and that are paused`()
    async throws
  {
    let retry = FailedRunBehavior.retry(attempts: 2, backoff: .constant(.seconds(100)))
    cluster.handle("mail", ifFailed: retry) { run in if run.payload == "bad" { throw NoPaper() } }
    try await put(30)
    for name in ["bad 1", "bad 2"] { try await cluster.put(name: name, handler: "mail", payload: "bad") }
    try await cluster.pause("job 1007")
    await clock.advance(by: .seconds(5))
    try await Fixture(cluster: cluster).app.test(.router) { client async throws in
      #expect(names(try await page("?in=retrying", client)) == ["bad 1", "bad 2"])
      #expect(names(try await page("?in=retrying&q=2", client)) == ["bad 2"])
      #expect(names(try await page("?in=paused", client)) == ["job 1007"])
      #expect(names(try await page("?in=failed", client)).isEmpty)
      #expect(names(try await page("?in=odd", client)).count == 32)
      #expect(names(try await page("?state=failed&sort=-ticks", client)).count == 32)
      let line = try await client.page().text
      #expect(line.contains("<a data-job href=\"timers/jobs?in=retrying\">2 jobs wait for a retry</a>"))
      #expect(line.contains("<a data-job href=\"timers/jobs?in=paused\">1 pause of jobs</a>"))
      await clock.advance(by: .seconds(105))
      #expect(names(try await page("?in=failed", client)) == ["bad 1", "bad 2"])
      #expect(try await client.page().text.contains(">2 jobs have failed for good</a>"))
    }
  }

  @Test func `Jobs whose last run failed are found among a thousand at a time, and the line says so`()
    async throws
  {
    cluster.handle("hourly", ifFailed: .leave) { run in if run.name == "z" { throw NoPaper() } }
    try await cluster.put(name: "z", handler: "hourly", schedule: .every(.seconds(3_600), starting: .aligned))
    for start in stride(from: 0, to: 2_500, by: 500) {
      try await cluster.put(
        (start..<start + 500).map {
          NewJob(name: "job \(10_000 + $0)", handler: "none", after: .seconds(86_400))
        })
    }
    await clock.advance(by: .seconds(3_605))
    try await Fixture(cluster: cluster, clusterClock: clock).app.test(.router) { client async throws in
      let first = try await page("?in=lastFailed", client)
      #expect(names(first).isEmpty)
      let second = try await page(try #require(address("Next page", in: first)), client)
      let third = try await page(try #require(address("Next page", in: second)), client)
      #expect(names(third) == ["z"] && address("Next page", in: third) == nil)
      #expect(third.contains("<span data-failed=\"true\">NoPaper()</span>"))
      try await cluster.run("z")
      try await cluster.pause("job 10001")
      let line = try await client.page().text
      #expect(line.contains("1 pause of jobs of the first 1,000 jobs"))
    }
  }

  @Test func `A job's last run is the newest of the store's history`() async throws {
    cluster.schedule(.every(.seconds(60), starting: .aligned), name: "report") { run in
      if run.scheduledDate >= Date(timeIntervalSince1970: 1_800_000_120) { throw NoPaper() }
    }
    await clock.advance(by: .seconds(65))
    try await Fixture(cluster: cluster).app.test(.router) { client async throws in
      let done = try await page("", client)
      #expect(
        done.contains("<span data-failed=\"false\">done in ")
          && done.contains("datetime=\"2027-01-15T08:01:00Z\""))
      await clock.advance(by: .seconds(60))
      #expect(try await page("", client).contains("<span data-failed=\"true\">failed in "))
    }
  }

  // MARK: Links

  /// The addresses of the links between the views, as seen from the folder above the page.
  private func links(_ text: String) -> [String] {
    let nav =
      text.components(separatedBy: "id=\"views\">").last?.components(separatedBy: "</nav>").first ?? ""
    return nav.components(separatedBy: "<a ").dropFirst().map { link in
      let address = link.components(separatedBy: "href=\"").last?.components(separatedBy: "\"").first ?? ""
      let title =
        link.components(separatedBy: ">").dropFirst().first?.components(separatedBy: "<").first ?? ""
      return "\(address.replacing("../", with: "")) \(title)"
    }
  }

  @Test func `Every view begins with the same links, and marks its own`() async throws {
    cluster.schedule(.every(.seconds(60), starting: .aligned), name: "report") { _ in }
    await clock.advance(by: .seconds(65))
    let all = [
      "timers Timers", "timers/hour Next hour", "timers/schedulers Schedulers", "timers/jobs Jobs",
      "timers/trail Audit trail",
    ]
    let views = [
      "": "Timers", "/hour": "Next hour", "/schedulers": "Schedulers", "/jobs": "Jobs",
      "/trail": "Audit trail",
      "/date?job=report&date=2027-01-15T08:01:00Z": "Jobs", "/job?name=report": "Jobs",
      // The filter and the order of the jobs aren't those of the timers.
      "/jobs?in=failed&order=-last": "Jobs",
    ]
    try await Fixture(access: .ada(isPublic: true), cluster: cluster).app.test(.router) {
      client async throws in
      for (path, title) in views {
        let text = try await client.execute(uri: "/timers\(path)", method: .get, headers: .adminToken).text
        #expect(links(text) == all, "\(path)")
        #expect(text.components(separatedBy: "aria-current=\"page\"").count == 2, "\(path)")
        #expect(text.contains("aria-current=\"page\">\(title)</a>"), "\(path)")
        #expect(text.contains("<header>\n<nav aria-label=\"Views\" id=\"views\">"), "\(path)")
        #expect(text.contains("<span id=\"operator\">ada</span> <button>Log out</button>"), "\(path)")
      }
      // A visitor who may look sees what an operator sees but for the trail.
      for path in ["", "/hour", "/schedulers", "/jobs", "/login"] {
        let text = try await client.page(path).text
        #expect(links(text) == Array(all.dropLast()), "\(path)")
        #expect(text.contains("id=\"login\""), "\(path)")
      }
    }
    try await Fixture(access: .ada(), cluster: cluster).app.test(.router) { client async throws in
      for path in ["", "/jobs", "/login"] { #expect(links(try await client.page(path).text).isEmpty) }
    }
  }
}
