import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Testing
import TimerOperatorPage
import TimerScheduling
import TimerSchedulingTesting

/// Tokens, logins, and what is logged of both.
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

  // MARK: Logins

  @Test func `An operator logs in with the token, acts by the cookie, and logs out`() async throws {
    try await guarded.app.test(.router) { client async throws in
      let response = try await logIn(client)
      #expect(response.status == .seeOther)
      #expect(response.headers[.location] == "../timers?q=clock")
      let cookie = try cookie(in: response)
      let attributes = try #require(response.headers[.setCookie])
      for attribute in ["HttpOnly", "SameSite=Lax"] { #expect(attributes.contains(attribute)) }
      for attribute in ["Path", "Domain", "Secure"] { #expect(!attributes.contains(attribute)) }

      let page = try await client.execute(uri: "/timers", method: .get, headers: cookie)
      #expect(page.text.contains("<span id=\"operator\">ada</span>"))
      #expect(!page.text.contains(PageAccess.token))
      #expect(try await client.post("pause", id, headers: cookie.with(.ownPage)).status == .seeOther)
      #expect(guarded.timer.state == .paused)

      let logout = try await client.execute(
        uri: "/timers/logout", method: .post, headers: cookie.with(.ownPage))
      #expect(logout.status == .seeOther)
      #expect(logout.headers[.setCookie]?.contains("Max-Age=0") == true)
      #expect(try await client.post("resume", id, headers: cookie.with(.ownPage)).status == .unauthorized)
      #expect(guarded.timer.state == .paused)
    }
  }

  @Test func `A login through https has a cookie that isn't sent without it`() async throws {
    try await guarded.app.test(.router) { client async throws in
      let response = try await logIn(client, headers: [.origin: "https://localhost"])
      #expect(response.headers[.setCookie]?.contains("Secure") == true)
    }
  }

  @Test func `The cookie alone proves nothing, as browsers send it by themselves`() async throws {
    try await guarded.app.test(.router) { client async throws in
      let cookie = try cookie(in: try await logIn(client))
      for headers in RefusalTests.foreign + [[:], [.secFetchSite: "none"]] {
        #expect(try await client.post("pause", id, headers: cookie.with(headers)).status == .forbidden)
        let logout = try await client.execute(
          uri: "/timers/logout", method: .post, headers: cookie.with(headers))
        #expect(logout.status == .forbidden)
        let login = try await logIn(client, headers: headers)
        #expect(login.status == .forbidden)
      }
      let page = try await client.execute(uri: "/timers", method: .get, headers: cookie)
      let start = try #require(page.text.range(of: "name=\"formToken\" value=\"")).upperBound
      let formToken = page.text[start...].prefix { $0 != "\"" }
      let response = try await client.post("pause", id, headers: cookie, form: "formToken=\(formToken)")
      #expect(response.status == .seeOther)
    }
  }

  @Test func `A login ends twelve hours after its last use, and is no other's`() {
    var logins = Logins()
    let secrets = [logins.add("ada", at: .zero), logins.add("grace", at: .zero)]
    func names(at second: Int) -> [String?] {
      secrets.map { logins.login(with: $0, at: .seconds(second))?.operatorName }
    }
    #expect(names(at: 43_199) == ["ada", "grace"])
    #expect(names(at: 43_200) == [nil, nil])
    logins.noteUse(of: secrets[0], at: .seconds(43_199))
    #expect(names(at: 2 * 43_199) == ["ada", nil])
    #expect(logins.login(with: "", at: .zero) == nil)
  }

  @Test func `Of many logins the newest are kept`() {
    var logins = Logins()
    let secrets = (0...Logins.countLimit).map { logins.add("ada", at: .seconds($0)) }
    let now = Duration.seconds(Logins.countLimit)
    #expect(logins.login(with: secrets[0], at: now) == nil)
    #expect(secrets.dropFirst().allSatisfy { logins.login(with: $0, at: now) != nil })
  }

  @Test func `Events end when the operator logs out`() async throws {
    try await guarded.app.test(.live) { client async throws in
      let port = try #require(client.port)
      try await TestClient.withClient(host: "localhost", port: port) { client async throws in
        func send(_ method: HTTPRequest.Method, _ path: String, _ headers: HTTPFields) async throws
          -> TestClient.Response
        {
          let body = method == .post ? ByteBuffer(string: "token=\(PageAccess.token)") : nil
          return try await client.execute(
            TestClient.Request(path, method: method, authority: "localhost", headers: headers, body: body))
        }
        let page: HTTPFields = [.secFetchSite: "same-origin"]
        let login = try await send(.post, "/timers/login", page.with(.form))
        let setCookie = try #require(login.headers[.setCookie])
        let cookie = page.with([.cookie: String(setCookie.prefix { $0 != ";" })])
        let other = TestClient(host: "localhost", port: port)
        other.connect()
        async let events = other.execute(
          TestClient.Request("/timers/events", method: .get, authority: "localhost", headers: cookie))
        await guarded.clock.waitForConsumers()
        #expect(try await send(.post, "/timers/logout", cookie.with(.form)).status == .seeOther)
        await guarded.clock.advance(by: .seconds(1))
        #expect(try await events.status == .ok)
      }
    }
  }

  // MARK: Guesses

  // seconds          0  1   3       7               15
  // wrong tokens     x  x   x       x
  // not looked at      x  x    x x      x x x x x x
  @Test func `After each wrong token a client waits twice as long, and others don't`() async throws {
    try await guarded.app.test(.router) { client async throws in
      func status(_ token: String, from address: String) async throws -> HTTPResponse.Status {
        try await client.post(
          "resume", id, headers: HTTPFields.client(address).with([.adminToken: token])
        ).status
      }
      for delay in [1, 2, 4, 8, 16, 32, 60, 60] {
        #expect(try await status("wrong", from: "198.51.100.1") == .forbidden)
        for _ in 0..<3 {
          #expect(try await status(PageAccess.token, from: "198.51.100.1") == .tooManyRequests)
          #expect(try await status(PageAccess.token, from: "198.51.100.2") == .seeOther)
        }
        await guarded.clock.advance(by: .seconds(delay) - .milliseconds(1))
        #expect(try await status(PageAccess.token, from: "198.51.100.1") == .tooManyRequests)
        await guarded.clock.advance(by: .milliseconds(1))
      }
      #expect(try await status(PageAccess.token, from: "198.51.100.1") == .seeOther)
      #expect(try await status("wrong", from: "198.51.100.1") == .forbidden)
      await guarded.clock.advance(by: .seconds(1))
      #expect(try await status(PageAccess.token, from: "198.51.100.1") == .seeOther)
    }
    #expect(guarded.audit.count { $0.metadata["outcome"] == "403" } == 9)
    #expect(try guarded.metrics.expectCounter("timer_page_wrong_tokens").totalValue == 9)
    #expect(
      try guarded.metrics.expectCounter("timer_page_refusals", [("status", "429")]).totalValue == 8 * 4)
  }

  @Test func `Logging in is guessing, too, and says when to try again`() async throws {
    try await guarded.app.test(.router) { client async throws in
      let wrong = try await logIn(client, token: "wrong")
      #expect(wrong.status == .forbidden)
      #expect(wrong.text.contains("The admin token is wrong."))
      #expect(wrong.text.contains("action=\"login?q=clock\""))
      let early = try await logIn(client)
      #expect(early.status == .tooManyRequests)
      #expect(early.headers[.retryAfter] == "1")
      #expect(early.headers[.setCookie] == nil)
    }
  }

  @Test func `The delay of a client is bounded, and so is the number of clients`() throws {
    var throttle = GuessThrottle()
    let ada = try #require(IPAddress("2001:db8::1"))
    for _ in 0..<100 { throttle.noteFailure(of: ada, at: .zero) }
    #expect(throttle.delay(of: ada, at: .zero) == GuessThrottle.maximumDelay)
    // Of the same network, which a client has for itself.
    #expect(throttle.delay(of: IPAddress("2001:db8:0:1::2"), at: .zero) == GuessThrottle.maximumDelay)
    #expect(throttle.delay(of: IPAddress("2001:db8:1::1"), at: .zero) == .zero)
    for number in 0..<2 * GuessThrottle.clientLimit {
      throttle.noteFailure(of: IPAddress("10.0.\(number / 256).\(number % 256)"), at: .zero)
    }
    // The others are forgotten first, as they may try earlier.
    #expect(throttle.delay(of: ada, at: .zero) == GuessThrottle.maximumDelay)
    let waiting = (0..<2 * GuessThrottle.clientLimit).count { number in
      throttle.delay(of: IPAddress("10.0.\(number / 256).\(number % 256)"), at: .zero) > .zero
    }
    #expect((GuessThrottle.clientLimit / 2...GuessThrottle.clientLimit).contains(waiting))
    #expect(throttle.delay(of: IPAddress("198.51.100.1"), at: .zero) == .zero)
    // A quarter of an hour later all is forgotten.
    throttle.noteFailure(of: IPAddress("198.51.100.3"), at: .seconds(1_000))
    #expect(throttle.delay(of: ada, at: .seconds(1_000)) == .zero)
    #expect(throttle.delay(of: IPAddress("198.51.100.3"), at: .seconds(1_000)) == .seconds(1))
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
      let cookie = try cookie(in: try await logIn(client, headers: from.with(.ownPage)))
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
        body: ByteBuffer(string: "all=yes"))
    }
    #expect(guarded.audit.count == 1)
    let timers = "\(try #require(guarded.audit.first?.metadata["timer"]))"
    #expect(timers.hasPrefix("jobs/"))
    #expect(timers.hasSuffix(" and 11 more"))
    #expect(guarded.audit.first?.metadata["query"] == "timers")
  }

  // MARK: Open pages

  @Test func `Pages of clients who aren't operators leave places for operators`() {
    var slots = WatchSlots()
    let anonymous = (0..<120).map { number in
      WatchSlots.Viewer(address: IPAddress("198.51.100.\(number)"), isOperator: false)
    }
    let taken = anonymous.count { slots.take(for: $0) }
    #expect(taken == WatchSlots.anonymousCount)
    let ada = WatchSlots.Viewer(address: IPAddress("198.51.100.1"), isOperator: true)
    let takenByAda = (0..<100).count { _ in slots.take(for: ada) }
    #expect(takenByAda == WatchSlots.countPerClient)
    for viewer in anonymous.prefix(WatchSlots.anonymousCount) { slots.leave(viewer) }
    let takenByOne = (0..<100).count { _ in slots.take(for: anonymous[0]) }
    #expect(takenByOne == WatchSlots.countPerClient)
    let takenByOthers = (0..<200).count { _ in slots.take(for: .unknown) }
    #expect(takenByOthers == WatchSlots.count - 2 * WatchSlots.countPerClient)
    slots.leave(ada)
    let takenAgain = (0..<2).map { _ in slots.take(for: ada) }
    #expect(takenAgain == [true, false])
  }

  private func logIn(
    _ client: any TestClientProtocol, headers: HTTPFields = .ownPage, token: String = PageAccess.token
  ) async throws -> TestResponse {
    try await client.execute(
      uri: "/timers/login?q=clock", method: .post, headers: headers.with(.form),
      body: ByteBuffer(string: "token=\(token)"))
  }

  /// The header by which the browser shows the cookie that a response has set.
  private func cookie(in response: TestResponse) throws -> HTTPFields {
    let cookie = try #require(response.headers[.setCookie])
    return [.cookie: String(cookie.prefix { $0 != ";" })]
  }
}
