import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Testing
import TimerOperatorPage
import TimerScheduling

/// A site whose name was made to resolve to this machine is, for a browser, the same origin as the server.
@Suite struct HostTests {
  @Test(arguments: [
    "localhost", "LOCALHOST", "localhost:8080", "127.0.0.1:8080", "[::1]", "[::1]:8080", "timers.example:80",
  ])
  func `Loopback's names and those that are given are known`(authority: String) {
    #expect(HostList(["Timers.example"]).contains(authority))
  }

  @Test(arguments: [
    "", "evil.example", "localhost.evil.example", "evil.example:8080", "localhost:8080@evil.example",
    "localhost:x",
    "localhost:80:80", "127.0.0.1.evil.example", "[::1].evil.example", "[::1]x", "[::1", "::1", "0.0.0.0",
    "localhost.",
    " localhost", "timers.example.evil.example",
  ])
  func `Every other name is unknown`(authority: String) {
    #expect(!HostList(["timers.example"]).contains(authority))
  }

  @Test(
    arguments: ["::1", "[::1]", "fd00::3", "[fd00::3]", "[FD00:0::3]:8443", "[fd00:0:0:0:0:0:0:3]"],
    ["[fd00::3]", "[fd00::3]:80", "[FD00::0:3]", "[::1]", "[::1]:8080", "[0:0:0:0:0:0:0:1]:1"])
  func `An address of version 6 is allowed in all its forms`(given: String, authority: String) {
    // The loopback interface needs no permission.
    let isAllowed = !authority.uppercased().hasPrefix("[FD00") || given.uppercased().contains("FD00")
    #expect(HostList([given]).contains(authority) == isAllowed)
    #expect(!HostList([given]).contains("[fd00::4]"))
    #expect(!HostList([given]).contains("fd00::3"))
  }

  @Test(arguments: ["timers.example:8443", "10.0.0.3:80", "[x]:80"])
  func `The port of an allowed host is ignored`(given: String) {
    let name = given.prefix { $0 != ":" }
    #expect(HostList([given]).contains("\(name):1"))
    #expect(!HostList([given]).contains("other.example"))
  }

  // HTTP's first header is the request's authority, and the others are left where a proxy may go by them.
  @Test func `A request with two hosts is refused, even if both are known`() async throws {
    let router = Router()
    router.addMiddleware { HostMiddleware(allowedHosts: []) }
    router.get("other") { _, _ in "secret" }
    let app = Application(router: router)
    let host = try #require(HTTPField.Name("Host"))
    try await app.test(.router) { client async throws in
      #expect(try await client.execute(uri: "/other", method: .get).status == .ok)
      for second in ["localhost", "evil.example", ""] {
        let response = try await client.execute(uri: "/other", method: .get, headers: [host: second])
        #expect(response.status == .badRequest)
      }
    }
    let fixture = Fixture()
    try await fixture.app.test(.router) { client async throws in
      let headers = HTTPFields.ownPage.with([host: "localhost"])
      #expect(try await client.post("pause", fixture.timer.id, headers: headers).status == .badRequest)
      #expect(try await client.execute(uri: "/timers", method: .get, headers: headers).status == .badRequest)
    }
    #expect(fixture.timer.state == .scheduled)
  }

  @Test(arguments: ["10.0.0.3", "10.0.0.3:8080", "[fd00::3]", "[::ffff:10.0.0.3]:80"])
  func `A numeric address is known as such`(authority: String) {
    #expect(HostList.isAddress(authority))
  }

  @Test(arguments: [
    "", "10.0.0", "10.0.0.256", "10.0.0.3.evil.example", "10.0.0.3:x", "[x]", "[fd00::3", "fd00::3",
    "a.b.c.d",
  ])
  func `A name isn't taken for an address`(authority: String) {
    #expect(!HostList.isAddress(authority))
  }

  @Test func `Behind the middleware, every route refuses hosts that aren't known`() async throws {
    let router = Router()
    router.addMiddleware { HostMiddleware(allowedHosts: ["timers.example"]) }
    router.get("other") { _, _ in "secret" }
    try await Application(
      router: router, configuration: ApplicationConfiguration(address: .hostname("localhost", port: 0))
    )
    .test(.live) { client async throws in
      try await TestClient.withClient(host: "localhost", port: try #require(client.port)) {
        client async throws in
        for (host, status) in [
          ("evil.example", HTTPResponse.Status.forbidden), ("timers.example", .ok), ("10.0.0.3:8080", .ok),
          ("localhost", .ok),
        ] {
          for path in ["/other", "/none"] {
            let response = try await client.execute(TestClient.Request(path, method: .get, authority: host))
            #expect(response.status == (status == .ok && path == "/none" ? .notFound : status))
          }
        }
      }
    }
  }

  @Test(.timeLimit(.minutes(30)))
  func `Nothing is answered for a host that isn't known`() async throws {
    let fixture = Fixture(allowedHosts: ["timers.example", "fd00::3"])
    try await fixture.app.test(.live) { client async throws in
      let port = try #require(client.port)
      let id = fixture.timer.id
      try await TestClient.withClient(host: "localhost", port: port) { client async throws in
        @Sendable func status(
          _ method: HTTPRequest.Method, _ path: String, host: String
        ) async throws -> HTTPResponse.Status {
          let headers: HTTPFields = [.origin: "http://\(host)", .secFetchSite: "same-origin"]
          return try await client.execute(
            TestClient.Request(path, method: method, authority: host, headers: headers)
          ).status
        }
        let paths = ["hour", "schedulers", "events", "page.js", "page.css", "views.css"]
        for host in ["evil.example", "evil.example:\(port)", "localhost.evil.example", "[fd00::4]:\(port)"] {
          for path in ["/timers"] + paths.map({ "/timers/" + $0 }) {
            #expect(try await status(.get, path, host: host) == .forbidden)
          }
          #expect(try await status(.post, "/timers/jobs/\(id)/pause", host: host) == .forbidden)
        }
        #expect(fixture.timer.state == .scheduled)

        for host in [
          "localhost:\(port)", "127.0.0.1:\(port)", "timers.example", "[::1]:\(port)", "[FD00:0::3]:8443",
        ] {
          #expect(try await status(.get, "/timers", host: host) == .ok)
        }
        #expect(try await status(.post, "/timers/jobs/\(id)/pause", host: "timers.example") == .seeOther)
        #expect(fixture.timer.state == .paused)
      }
    }
  }
}
