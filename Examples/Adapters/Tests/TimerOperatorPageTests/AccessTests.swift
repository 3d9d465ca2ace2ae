import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Testing
import TimerOperatorPage
import TimerScheduling
import TimerSchedulingTesting

/// The rights of operators and of others, and the log of what they do.
@Suite(.timeLimit(.minutes(30))) struct AccessTests {
  private let guarded = Fixture(access: .ada())
  private let open = Fixture(access: .ada(isPublic: true))
  private var id: ScheduledTimer.ID { guarded.timer.id }

  // MARK: Tokens of scripts

  @Test(arguments: ["pause", "resume", "fire", "cancel"])
  func `Each action needs a token, also on a page that everyone sees`(action: String) async throws {
    for fixture in [guarded, open] {
      try await fixture.app.test(.router) { client async throws in
        let id = fixture.timer.id
        #expect(try await client.post(action, id).status == .unauthorized)
        let basic = HTTPFields.ownPage.with([.authorization: "Basic \(PageAccess.token)"])
        #expect(try await client.post(action, id, headers: basic).status == .unauthorized)
        #expect(try await client.post(action, id, form: "token=\(PageAccess.token)").status == .unauthorized)
        #expect(try await client.post(action, id, headers: [.adminToken: ""]).status == .unauthorized)
      }
      #expect(fixture.timer.state == .scheduled)
    }
  }

  @Test(
    arguments: [
      [.adminToken: PageAccess.token], [.authorization: "Bearer \(PageAccess.token)"],
      [.authorization: "bearer \(PageAccess.token)"],
    ] as [HTTPFields])
  func `The right token is taken from a header`(headers: HTTPFields) async throws {
    try await guarded.app.test(.router) { client async throws in
      #expect(try await client.post("pause", id, headers: headers).status == .seeOther)
      #expect(try await client.execute(uri: "/timers", method: .get, headers: headers).status == .ok)
    }
    #expect(guarded.timer.state == .paused)
  }

  @Test(arguments: ["sesame-sesame-sesam", "sesame-sesame-sesame2", "Sesame-sesame-sesame", "x"])
  func `A wrong token is refused`(token: String) async throws {
    try await guarded.app.test(.router) { client async throws in
      #expect(try await client.post("pause", id, headers: [.adminToken: token]).status == .forbidden)
    }
    #expect(guarded.timer.state == .scheduled)
  }

  @Test func `A token that is short or has no name is refused with a sentence, and isn't shown in it`() throws
  {
    for (text, word) in [
      ("", "16"), ("secret", "16"), ("ada:secret", "\"ada\" has 6 bytes"), (":0123456789abcdef", "name"),
    ] {
      let error = #expect(throws: OperatorTokenError.self) { try OperatorToken.parse(text) }
      let description = try #require(error?.description)
      #expect(description.contains(word))
      #expect(!description.contains("secret"))
    }
    let tokens = try OperatorToken.parse("ada:0123456789abcdef  grace:fedcba9876543210:x\n0123456789abcdef")
    #expect(tokens.map(\.name) == ["ada", "grace", "operator"])
  }

  // MARK: Looking

  @Test func `Without a token nothing of the timers is seen, unless the page is public`() async throws {
    let paths = ["/timers", "/timers/events", "/timers/jobs/\(id)"]
    try await guarded.app.test(.router) { client async throws in
      for path in paths {
        let response = try await client.execute(uri: path, method: .get, headers: .ownPage)
        #expect(response.status == .unauthorized)
        #expect(!response.text.contains("clock"))
      }
      #expect(try await client.page().text.contains("action=\"timers/login\""))
    }
    try await open.app.test(.router) { client async throws in
      for path in ["/timers", "/timers/jobs/\(open.timer.id)"] {
        #expect(try await client.execute(uri: path, method: .get, headers: .ownPage).status == .ok)
      }
      #expect(try await client.page().text.contains("href=\"timers/login\""))
    }
    try await Fixture().app.test(.router) { client async throws in
      #expect(try await !client.page().text.contains("login"))
    }
  }

  // MARK: The log

  @Test
  func `Each action, login and refusal is a line with who, from where, which timer, and what came of it`()
    async throws
  {
    try await guarded.app.test(.router) { client async throws in
      let from = HTTPFields.client("198.51.100.7")
      try await client.post("pause", id, headers: from)
      try await client.post("pause", id, headers: from.with(.adminToken))
      try await client.post("fire", id, headers: from.with(.adminToken))
      let cookie = try await client.logIn(headers: from.with(.ownPage)).shownCookie()
      try await client.post("resume", id, headers: cookie.with(from).with(.ownPage))
      _ = try await client.execute(
        uri: "/timers/logout", method: .post, headers: cookie.with(from).with(.ownPage))
    }
    let timer = "jobs/\(id) clock"
    let path = "POST /timers/jobs/\(id)"
    #expect(
      guarded.audit.map { entry in
        let values = ["operator", "client", "timer", "request", "action", "outcome"].map { key in
          entry.metadata[key].map { "\($0)" } ?? "-"
        }
        return "\(entry.level) \(entry.message): \(values.joined(separator: ", "))"
      } == [
        "notice Operator's request refused: unknown, 198.51.100.7, -, \(path)/pause, -, 401",
        "info Operator's action: ada, 198.51.100.7, \(timer), -, pause, done",
        "notice Operator's request refused: ada, 198.51.100.7, -, \(path)/fire, -, 409",
        "info Operator logged in: ada, 198.51.100.7, -, -, -, -",
        "info Operator's action: ada, 198.51.100.7, \(timer), -, resume, done",
        "info Operator logged out: ada, 198.51.100.7, -, -, -, -",
      ])
    #expect(guarded.audit.allSatisfy { !"\($0.metadata)".contains(PageAccess.token) })
  }

  @Test func `An action on many timers is one line`() async throws {
    for number in 0..<60 { guarded.scheduler.schedule(.every(.seconds(60)), name: "\(number)") { _ in } }
    try await guarded.app.test(.router) { client async throws in
      _ = try await client.execute(
        uri: "/timers/selected/pause", method: .post, headers: HTTPFields.adminToken.with(.form),
        body: ByteBuffer(string: "all=yes&expected=61"))
    }
    #expect(guarded.audit.count == 1)
    let timers = "\(try #require(guarded.audit.first?.metadata["timer"]))"
    #expect(timers.hasPrefix("jobs/"))
    #expect(timers.hasSuffix(" and 11 more"))
    #expect(guarded.audit.first?.metadata["query"] == "timers")
  }
}
