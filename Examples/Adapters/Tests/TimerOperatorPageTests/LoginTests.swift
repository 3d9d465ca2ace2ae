import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Testing
import TimerOperatorPage
import TimerScheduling
import TimerSchedulingTesting

/// Operators who log in and out.
@Suite(.timeLimit(.minutes(30))) struct LoginTests {
  private let guarded = Fixture(access: .ada())
  private var id: ScheduledTimer.ID { guarded.timer.id }

  @Test func `An operator logs in with the token, acts by the cookie, and logs out`() async throws {
    try await guarded.app.test(.router) { client async throws in
      let response = try await client.logIn()
      #expect(response.status == .seeOther)
      #expect(response.headers[.location] == "../timers?q=clock")
      let cookie = try response.shownCookie()
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
      let response = try await client.logIn(headers: [.origin: "https://localhost"])
      #expect(response.headers[.setCookie]?.contains("Secure") == true)
    }
  }

  @Test func `The cookie alone proves nothing, as browsers send it by themselves`() async throws {
    try await guarded.app.test(.router) { client async throws in
      let cookie = try await client.logIn().shownCookie()
      for headers in RefusalTests.foreign + [[:], [.secFetchSite: "none"]] {
        #expect(try await client.post("pause", id, headers: cookie.with(headers)).status == .forbidden)
        let logout = try await client.execute(
          uri: "/timers/logout", method: .post, headers: cookie.with(headers))
        #expect(logout.status == .forbidden)
        let login = try await client.logIn(headers: headers)
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
}
