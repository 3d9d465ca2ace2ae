import Foundation
import HTTPTypes
import HummingbirdTesting
import Testing
import TimerScheduling
import TimerSchedulingTesting

@Suite(.timeLimit(.minutes(30))) struct PageTests {
  private let fixture = Fixture()

  @Test func `Without a script, the page shows the timers and their buttons`() async throws {
    try await fixture.app.test(.router) { client async throws in
      await fixture.clock.advance(by: .milliseconds(2_250))
      let page = try await client.page()
      #expect(page.status == .ok)
      #expect(page.headers[.contentType] == "text/html; charset=utf-8")
      #expect(page.text.contains("<bdi>clock</bdi>"))
      #expect(page.text.contains("<span>0.7 s</span>"))
      #expect(page.text.contains("data-cell=\"ticks\">2</td>"))
      #expect(page.text.contains("class=\"number\" data-label=\"Active\">1</td>"))
      #expect(page.text.contains("data-cell=\"schedule\">every 1 s</td>"))
      for action in ["pause", "resume", "fire", "cancel"] {
        #expect(page.text.contains("formaction=\"timers/jobs/\(fixture.timer.id)/\(action)\""))
      }
    }
  }

  @Test func `A timer that fails and misses is shown as such`() async throws {
    struct Failure: Error {}
    fixture.scheduler.schedule(.every(.seconds(10)), name: "upload") { _ in throw Failure() }
    fixture.scheduler.schedule(.every(.seconds(10)), name: "idle") { _ in }.pause()
    await fixture.clock.stall(for: .milliseconds(32_500))
    try await fixture.app.test(.router) { client async throws in
      let text = try await client.page().text
      let row = try #require(
        text.components(separatedBy: "<tr role=\"row\" data-key").first { $0.contains("<bdi>upload</bdi>") })
      #expect(row.contains("data-cell=\"failures\">1</td>"))
      #expect(row.contains("data-cell=\"missed\">2</td>"))
      #expect(row.contains("data-cell=\"lateness\">2.5 s</td>"))
      #expect(text.contains("data-label=\"Failures\">1</td>"))
      #expect(text.contains("<span>10.0 s left</span>"))
    }
  }

  @Test func `Only the page's own scripts and styles are allowed, and it is neither framed nor kept`()
    async throws
  {
    try await fixture.app.test(.router) { client async throws in
      for uri in [
        "/timers", "/timers/page.js", "/timers/time.js", "/timers/ask.js", "/timers/page.css",
        "/timers/jobs/x/pause",
      ] {
        let response = try await client.execute(uri: uri, method: uri.hasSuffix("pause") ? .post : .get)
        let policy = try #require(response.headers[.contentSecurityPolicy])
        #expect(policy.contains("default-src 'none'"))
        #expect(policy.contains("frame-ancestors 'none'"))
        #expect(!policy.contains("unsafe"))
        #expect(response.headers[.xContentTypeOptions] == "nosniff")
        #expect(response.headers[.cacheControl] == "no-store")
      }
      #expect(try await client.execute(uri: "/timers/page.js", method: .get).text.contains("EventSource"))
      #expect(try await client.execute(uri: "/timers/page.css", method: .get).text.contains("table"))
      let page = try await client.page().text
      let scripts = page.components(separatedBy: "<script").dropFirst()
      #expect(
        scripts.map { String($0.prefix { $0 != ">" }) } == [
          " src=\"timers/time.js\" defer", " src=\"timers/ask.js\" defer", " src=\"timers/work.js\" defer",
          " src=\"timers/page.js\" defer",
        ])
      #expect(!page.contains("<style"))
      #expect(!page.contains(" style="))
    }
  }

  @Test func `The page has landmarks, a caption, and labels for what a narrow screen shows`() async throws {
    try await fixture.app.test(.router) { client async throws in
      let text = try await client.page().text
      for part in [
        "<html lang=\"en\">", "<header>", "<main>", "<search>", "<nav aria-label=\"Pages\"",
        "<caption id=\"position\">1 timer.</caption>", "<caption>Schedulers</caption>",
        "<p id=\"live\" role=\"status\">",
        "aria-sort=\"ascending\"", "aria-label=\"Select clock\"", "aria-label=\"Pause clock\"",
        "<time datetime=\"2001-01-01T00:00:01Z\">",
      ] {
        #expect(text.contains(part))
      }
      let style = try await client.execute(uri: "/timers/page.css", method: .get).text
      let labels = [
        "schedule": "Schedule", "state": "State", "next": "Next", "last": "Last run", "ticks": "Ticks",
        "missed": "Missed", "failures": "Failures", "lateness": "Last lateness",
      ]
      for (cell, label) in labels {
        #expect(text.contains("data-cell=\"\(cell)\""))
        #expect(style.contains("content: \"\(label) \""))
        #expect(text.contains("<dt>\(label)</dt>"), "\(label) has no meaning")
      }
      #expect(text.contains("<details class=\"meanings\"><summary>What the columns mean</summary>"))
      // Where schedules have a tolerance, a lateness of as much is no trouble.
      #expect(text.contains(">Lateness with tolerance: p50</th>"))
      #expect(text.contains("A restart of the server forgets it."))
    }
  }

  // MARK: Many timers

  @Test func `A page of 10,000 timers stays small, and shows those with names first`() async throws {
    let sessions = (0..<9_998).map { _ in fixture.scheduler.schedule(.after(.seconds(1_800))) { _ in } }
    fixture.scheduler.schedule(.every(.seconds(60)), name: "made last") { _ in }
    try await fixture.app.test(.router) { client async throws in
      let text = try await client.page().text
      #expect(text.utf8.count < 80_000)
      #expect(text.components(separatedBy: "data-key=\"jobs/").count - 1 == 50)
      #expect(text.contains("Timers 1 to 50 of 10,000."))
      let rows = text.components(separatedBy: "data-key=\"jobs/")
      #expect(rows.firstIndex { $0.contains("<bdi>made last</bdi>") } == 2)
      // The oldest of the others come after them.
      #expect(text.contains("<bdi>#\(sessions[47].id)</bdi>"))
      #expect(!text.contains("<bdi>#\(sessions[48].id)</bdi>"))

      let last = try await client.page("?page=200").text
      #expect(last.contains("<bdi>#\(sessions[9_997].id)</bdi>"))
      #expect(try await client.page("?page=9999").text.contains("Timers 9,951 to 10,000 of 10,000."))
    }
    for session in sessions { session.cancel() }
  }

  @Test func `After a long look the page shows what it has seen, until it may look again or acts`()
    async throws
  {
    let fixture = Fixture(lookDuration: .seconds(1))
    try await fixture.app.test(.router) { client async throws in
      func showsTicks(_ count: Int) async throws -> Bool {
        try await client.page().text.contains("data-cell=\"ticks\">\(count)</td>")
      }
      #expect(try await showsTicks(0))
      await fixture.clock.advance(by: .seconds(3))
      #expect(try await showsTicks(0))
      await fixture.clock.advance(by: .seconds(30))
      #expect(try await showsTicks(33))

      await fixture.clock.advance(by: .seconds(1))
      #expect(try await showsTicks(33))
      try await client.post("pause", fixture.timer.id)
      #expect(try await showsTicks(34))
    }
  }
}
