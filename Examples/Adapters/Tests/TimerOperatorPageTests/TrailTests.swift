import Foundation
import HTTPTypes
import HummingbirdTesting
import Testing
import TimerOperatorPage
import TimerScheduling
import TimerSchedulingTesting

/// The page with the last actions and their operators.
@Suite(.timeLimit(.minutes(30))) struct TrailTests {
  private let guarded = Fixture(access: .ada(isPublic: true))
  private let ada = HTTPFields.ownPage.with(.adminToken).with(.client("198.51.100.7"))

  @Test func `The trail has who, when, what, how many and the outcome, the newest first`() async throws {
    let other = guarded.scheduler.schedule(.every(.seconds(60)), name: "<other>") { _ in }
    try await guarded.app.test(.router) { client async throws in
      try await client.post("pause", guarded.timer.id, headers: ada)
      try await client.post("fire", guarded.timer.id, headers: ada)
      _ = try await client.bulk("resume", "all=yes&expected=2", query: "?q=o", headers: ada)
      _ = try await client.bulk("resume", "all=yes&expected=7", headers: ada)
      _ = try await client.bulk("work/1/undo", "", headers: ada)
      // The trail has no request of a visitor without a token.
      try await client.post("cancel", other.id)
      let text = try await client.execute(uri: "/timers/trail", method: .get, headers: ada).text
      let rows = text.components(separatedBy: "<tr>").dropFirst(2).map { row in
        row.components(separatedBy: "<td>").dropFirst().map { $0.components(separatedBy: "</td>")[0] }
      }
      let clock = "jobs/\(guarded.timer.id) clock"
      let expected = [
        ["pause (undo)", "jobs/\(guarded.timer.id)", "1", "1 timer was paused."],
        ["resume", "timers", "0", "2 timers match now, and not 7. Nothing was changed."],
        ["resume", "timers?q=o", "2", "2 timers were resumed."],
        ["fire", clock, "0", "A paused timer can&#39;t fire."],
        ["pause", clock, "1", "done"],
      ]
      #expect(rows.map { Array($0.dropFirst(3)) } == expected)
      #expect(rows.allSatisfy { $0[1] == "ada" && $0[2] == "198.51.100.7" })
      #expect(rows.allSatisfy { $0[0].hasPrefix("<time datetime=\"20") })
    }
  }

  @Test func `The trail is for operators, and counts failed logins`() async throws {
    try await guarded.app.test(.router) { client async throws in
      #expect(try await client.execute(uri: "/timers/trail", method: .get).status == .unauthorized)
      #expect(try await !client.page().text.contains("timers/trail"))
      for _ in 0..<3 {
        _ = try await client.logIn(headers: .ownPage.with(.client("203.0.113.9")), token: "wrong")
      }
      let page = try await client.execute(uri: "/timers", method: .get, headers: ada)
      #expect(page.text.contains("href=\"timers/trail\">Audit trail</a>"))
      let text = try await client.execute(uri: "/timers/trail", method: .get, headers: ada).text
      #expect(text.contains("3 logins have failed since the server's start."))
      #expect(text.contains("from 203.0.113.9."))
    }
  }

  @Test func `The trail has the last 500 actions`() {
    let trail = AuditTrail()
    for number in 0..<(AuditTrail.limit + 2) {
      trail.add(
        AuditTrail.Entry(
          date: .now, operatorName: nil, client: "", action: "\(number)", timers: "", count: 1, outcome: ""))
    }
    trail.setOutcome(of: 0, to: "lost")
    trail.setOutcome(of: AuditTrail.limit, to: "done", count: 7)
    #expect(trail.entries.map(\.action) == (2..<(AuditTrail.limit + 2)).reversed().map { "\($0)" })
    #expect(trail.entries[1].outcome == "done" && trail.entries[1].count == 7)
  }

  // MARK: Paused rows

  private func row() async -> TimerRow? {
    await guarded.page.feed.report(for: TimerQuery()).rows.first { $0.name == "clock" }
  }

  @Test func `A paused row says who has paused it, and when`() async throws {
    try await guarded.app.test(.router) { client async throws in
      #expect(await row()?.note == nil)
      let before = Date.now - 1
      try await client.post("pause", guarded.timer.id, headers: ada)
      #expect(await row()?.note == "by ada")
      let date = try #require(await row()?.noteDate)
      #expect(try Date(date, strategy: .iso8601) > before)
      let text = try await client.page().text
      #expect(
        text.contains("<span>paused</span> <small>by ada <time datetime=\"\(date)\">\(date)</time></small>"))

      // The operator hasn't paused it after that, the program has.
      try await client.post("resume", guarded.timer.id, headers: ada)
      guarded.timer.pause()
      #expect(await row()?.note == nil)

      guarded.timer.resume()
      _ = try await client.bulk("pause", "all=yes&expected=1", headers: ada)
      #expect(await row()?.note == "by ada")
    }
  }

  @Test func `Where no token is asked for, an operator without a name has paused it`() async throws {
    let open = Fixture()
    try await open.app.test(.router) { client async throws in
      try await client.post("pause", open.timer.id)
      #expect(await open.page.feed.report(for: TimerQuery()).rows.first?.note == "by an operator")
    }
  }
}
