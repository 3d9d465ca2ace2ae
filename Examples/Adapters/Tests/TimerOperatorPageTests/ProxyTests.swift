import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import NIOCore
import Testing
import TimerOperatorPage

/// A server behind a proxy, which connects from 192.0.2.1.
@Suite(.timeLimit(.minutes(30))) struct ProxyTests {
  @Test func `Addresses are read in all their forms`() {
    #expect(IPAddress("10.0.0.3")?.description == "10.0.0.3")
    #expect(IPAddress("::ffff:10.0.0.3") == IPAddress("10.0.0.3"))
    #expect(IPAddress("fd00::3")?.description == "fd00:0:0:0:0:0:0:3")
    for text in ["", "localhost", "10.0.0", "10.0.0.256", "10.0.0.3:80", "[fd00::3]", "unknown"] {
      #expect(IPAddress(text) == nil)
    }
  }

  @Test(arguments: [
    ("10.0.0.0/8", "10.255.0.1", true), ("10.0.0.0/8", "11.0.0.1", false), ("10.0.0.3", "10.0.0.3", true),
    ("10.0.0.3", "10.0.0.2", false), ("10.0.0.4/31", "10.0.0.5", true), ("10.0.0.4/31", "10.0.0.6", false),
    ("0.0.0.0/0", "198.51.100.1", true), ("0.0.0.0/0", "::1", false), ("fd00::/9", "fd7f::1", true),
    ("fd00::/9", "fd80::1", false),
  ])
  func `A range has the addresses with its leading bits`(range: String, address: String, isIn: Bool) throws {
    let range = try #require(AddressRange(range))
    #expect(range.contains(try #require(IPAddress(address))) == isIn)
  }

  @Test(arguments: [
    "", "/", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/8/8", "::/129", "localhost",
  ])
  func `Anything else isn't a range`(text: String) {
    #expect(AddressRange(text) == nil)
  }

  /// Asks for the page through the proxy. Returns the status, and the client's address in the log.
  private func ask(
    _ headers: HTTPFields, host: String = "127.0.0.1:8080"
  ) async throws -> (HTTPResponse.Status, client: String) {
    let fixture = Fixture(access: .ada(), allowedHosts: ["timers.example"])
    return try await fixture.app.test(.live) { client async throws in
      let port = try #require(client.port)
      return try await TestClient.withClient(host: "localhost", port: port) { client async throws in
        let request = TestClient.Request(
          "/timers/jobs/\(fixture.timer.id)/pause", method: .post, authority: host, headers: headers)
        let status = try await client.execute(request).status
        return (status, "\(fixture.audit.last?.metadata["client"] ?? "none")")
      }
    }
  }

  @Test func `The client's address is the last one that isn't a trusted proxy's`() async throws {
    for (header, client) in [
      ("198.51.100.1", "198.51.100.1"), ("10.0.0.1, 198.51.100.1", "198.51.100.1"),
      ("198.51.100.1, 192.0.2.1", "198.51.100.1"), ("nonsense", "192.0.2.1"), (" , ", "192.0.2.1"),
      ("198.51.100.1, nonsense", "192.0.2.1"),
    ] {
      #expect(try await ask([.forwardedFor: header]).client == client, "\(header)")
    }
  }

  /// A context of connections that come from a client itself.
  private struct DirectContext: RemoteAddressRequestContext {
    var coreContext: CoreRequestContextStorage
    let remoteAddress = try? SocketAddress(ipAddress: "198.51.100.9", port: 1)

    init(source: ApplicationRequestContextSource) { coreContext = CoreRequestContextStorage(source: source) }
  }

  @Test func `Headers of a client that isn't a trusted proxy are ignored`() async throws {
    let fixture = Fixture(access: .ada())
    let router = Router(context: DirectContext.self)
    router.addMiddleware { TrustedProxyMiddleware(proxies: [AddressRange("192.0.2.1")].compactMap(\.self)) }
    fixture.page.addRoutes(to: router)
    try await Application(router: router, logger: Logger(label: "test") { _ in fixture.log }).test(.router) {
      client async throws in
      let forged: HTTPFields = [.forwardedFor: "10.0.0.1", .forwardedHost: "evil.example"]
      let response = try await client.post("pause", fixture.timer.id, headers: forged.with(.adminToken))
      // A host that was believed would be refused.
      #expect(response.status == .seeOther)
    }
    #expect(fixture.audit.map { $0.metadata["client"] } == ["198.51.100.9"])
  }

  // A page without tokens has nothing but the host to keep other sites out.
  @Test func `An open page believes no header of a proxy, not even of a trusted one`() async throws {
    for (host, headers, status): (String, HTTPFields, HTTPResponse.Status) in [
      ("evil.example", [.forwardedHost: "localhost"], .forbidden),
      ("localhost", [.forwardedHost: "evil.example"], .seeOther),
      ("localhost", [.forwardedHost: "evil.example", .origin: "http://evil.example"], .forbidden),
      ("localhost", [.forwardedFor: "198.51.100.1"], .seeOther),
    ] {
      let fixture = Fixture()
      let answered = try await fixture.app.test(.live) { client async throws in
        let port = try #require(client.port)
        return try await TestClient.withClient(host: "localhost", port: port) { client async throws in
          let own: HTTPFields = [.secFetchSite: "same-origin"]
          return try await client.execute(
            TestClient.Request(
              "/timers/jobs/\(fixture.timer.id)/pause", method: .post, authority: host,
              headers: own.with(headers))
          ).status
        }
      }
      #expect(answered == status, "\(host) \(headers)")
      #expect(fixture.timer.state == (status == .seeOther ? .paused : .scheduled))
      #expect(fixture.audit.last?.metadata["client"] == "192.0.2.1")
    }
  }

  // nginx asks for the address behind it, and passes on what the browser says of itself.
  @Test func `Behind nginx as it is, buttons work if the host is allowed`() async throws {
    let own: HTTPFields = [.origin: "https://timers.example", .secFetchSite: "same-origin"]
    #expect(try await ask(own.with(.adminToken)).0 == .seeOther)
    for foreign: HTTPFields in [
      [.origin: "https://evil.example", .secFetchSite: "same-origin"],
      [.origin: "https://timers.example", .secFetchSite: "same-site"],
      [.origin: "https://timers.example"],
    ] {
      #expect(try await ask(foreign.with(.adminToken)).0 == .forbidden)
    }
  }

  @Test func `Behind a proxy that tells the host, older browsers' buttons work, too`() async throws {
    let headers: HTTPFields = [.origin: "http://timers.example:8443", .forwardedHost: "timers.example:8443"]
    #expect(try await ask(headers.with(.adminToken)).0 == .seeOther)
    let evil: HTTPFields = [.origin: "http://evil.example", .forwardedHost: "evil.example"]
    #expect(try await ask(evil.with(.adminToken)).0 == .forbidden)
  }
}

extension HTTPField.Name {
  static let forwardedHost = HTTPField.Name("X-Forwarded-Host") ?? .via
}
