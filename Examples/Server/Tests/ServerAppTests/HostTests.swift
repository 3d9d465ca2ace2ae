import HTTPTypes
import Hummingbird
import HummingbirdTesting
import ServerApp
import Testing
import TimerOperatorPage

/// A site whose name was made to resolve to this machine must not read what the server answers.
@Suite(.timeLimit(.minutes(30))) struct HostTests {
  @Test func `Every route refuses hosts that aren't known`() async throws {
    let bench = Bench {
      $0.allowedHosts = ["timers.example"]
      $0.port = 0
    }
    try await bench.app.application.test(.live) { client async throws in
      let port = try #require(client.port)
      try await TestClient.withClient(host: "127.0.0.1", port: port) { client async throws in
        for path in [
          "/", "/cache", "/sessions/x", "/reports", "/metrics", "/timers", "/timers/events", "/none",
        ] {
          for host in ["evil.example", "evil.example:\(port)", "localhost.evil.example"] {
            let request = TestClient.Request(path, method: .get, authority: host)
            #expect(try await client.execute(request).status == .forbidden)
          }
        }
        for host in ["timers.example", "localhost:\(port)", "10.0.0.3:\(port)"] {
          let request = TestClient.Request("/reports", method: .get, authority: host)
          #expect(try await client.execute(request).status == .ok)
        }
      }
    }
  }

  // A page without tokens has nothing but the host to keep other sites out.
  @Test func `An open server believes no header of a proxy`() async throws {
    for (access, status): (PageAccess, HTTPResponse.Status) in [
      (.open, .forbidden), (.tokens(try OperatorToken.parse("ada:0123456789abcdef")), .ok),
    ] {
      let bench = Bench {
        $0.port = 0
        $0.access = access
        $0.trustedProxies = [AddressRange("127.0.0.0/8"), AddressRange("::1")].compactMap(\.self)
      }
      try await bench.app.application.test(.live) { client async throws in
        let port = try #require(client.port)
        let forwardedHost = try #require(HTTPField.Name("X-Forwarded-Host"))
        try await TestClient.withClient(host: "127.0.0.1", port: port) { client async throws in
          let request = TestClient.Request(
            "/reports", method: .get, authority: "evil.example", headers: [forwardedHost: "localhost"])
          #expect(try await client.execute(request).status == status)
        }
      }
    }
  }

  @Test func `A request with two hosts is refused on every route`() async throws {
    let bench = Bench()
    let host = try #require(HTTPField.Name("Host"))
    for path in ["/", "/reports", "/timers", "/none"] {
      let response = try await bench.respond(to: .get, path, headers: [host: "localhost"])
      #expect(response.status == .badRequest)
    }
  }

  @Test func `Requests that a middleware refuses are logged`() async throws {
    let bench = Bench()
    let foreign = try await bench.respond(
      to: .post, "/sessions", headers: [.origin: "http://evil.example"], body: #"{"user": "ada"}"#)
    #expect(foreign.status == .forbidden)
    let entry = try #require(bench.log.entries.first { $0.message == "Request refused" })
    #expect(entry.level == .notice)
    #expect(entry.metadata["request"] == "POST /sessions")
    #expect(entry.metadata["outcome"] == "403")
    #expect(entry.metadata["reason"] == "Requests from other sites are refused.")
  }
}
