import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import ServerApp
import Testing
import TimerScheduling
import TimerSchedulingTesting

@Suite struct RequestTests {
  @Test func `A session's life over HTTP`() async throws {
    let bench = Bench { $0.sessionTimeout = .seconds(60) }
    let created = try await bench.respond(to: .post, "/sessions", body: #"{"user": "ada"}"#)
    #expect(created.status == .created)
    let session = try JSONDecoder().decode(Session.self, from: created.body)
    #expect(session.user == "ada")
    let path = try #require(created.headers[.location])
    #expect(path == "/sessions/\(session.id)")
    for requests in 1...3 {
      await bench.clock.advance(by: .seconds(45))
      let response = try await bench.respond(to: .get, path)
      #expect(response.status == .ok)
      #expect(try JSONDecoder().decode(Session.self, from: response.body).requests == requests)
    }
    await bench.clock.advance(by: .seconds(63))
    #expect(try await bench.respond(to: .get, path).status == .notFound)
    #expect(try await bench.respond(to: .delete, path).status == .notFound)
  }

  @Test func `A session is deleted once`() async throws {
    let bench = Bench()
    let session = try #require(bench.app.sessions.create(user: "ada"))
    #expect(try await bench.respond(to: .delete, "/sessions/\(session.id)").status == .noContent)
    #expect(try await bench.respond(to: .delete, "/sessions/\(session.id)").status == .notFound)
  }

  @Test func `The cache is unavailable until the upstream has answered`() async throws {
    let bench = Bench(failing: [0]) { $0.refreshJitter = .zero }
    try bench.app.scheduleJobs()
    await bench.clock.advance(by: .zero)
    #expect(try await bench.respond(to: .get, "/cache").status == .serviceUnavailable)
    await bench.clock.advance(by: .seconds(5))
    let response = try await bench.respond(to: .get, "/cache")
    #expect(response.status == .ok)
    #expect(String(buffer: response.body).contains("answer 1"))
  }

  @Test func `Reports and the index are served`() async throws {
    let bench = Bench()
    try bench.app.scheduleJobs()
    await bench.clock.advance(by: .seconds(3_600))
    let reports = try await bench.respond(to: .get, "/reports")
    #expect(String(buffer: reports.body).contains("2001-01-01T01:00:00Z"))
    #expect(String(buffer: try await bench.respond(to: .get, "/").body).contains("/metrics"))
  }

  private static let refused: [(HTTPRequest.Method, String, String?, HTTPResponse.Status)] = [
    (.post, "/sessions", nil, .badRequest),
    (.post, "/sessions", "", .badRequest),
    (.post, "/sessions", "{", .badRequest),
    (.post, "/sessions", "[]", .badRequest),
    (.post, "/sessions", #"{"user": 1}"#, .badRequest),
    (.post, "/sessions", #"{"user": ""}"#, .badRequest),
    (.post, "/sessions", #"{"user": "\#(String(repeating: "a", count: 65))"}"#, .badRequest),
    (.post, "/sessions", String(repeating: "a", count: 5_000), .contentTooLarge),
    (.post, "/sessions", String(repeating: "[", count: 4_000), .badRequest),
    (.get, "/sessions/x", nil, .badRequest),
    (.get, "/sessions/" + String(repeating: "a", count: 5_000), nil, .badRequest),
    (.get, "/sessions/%00", nil, .badRequest),
    (.get, "/sessions/" + String(repeating: "0", count: 32), nil, .notFound),
    (.delete, "/sessions/-", nil, .badRequest),
    (.put, "/sessions", nil, .notFound),
    (.get, "/nothing", nil, .notFound),
  ]

  @Test func `What can't be answered is refused, and nothing stops ticking`() async throws {
    let bench = Bench { $0.refreshJitter = .zero }
    try bench.app.scheduleJobs()
    for (number, (method, uri, body, status)) in Self.refused.enumerated() {
      let response = try await bench.respond(to: method, uri, body: body)
      #expect(response.status == status, "\(method) \(uri.prefix(40)) \(body?.prefix(40) ?? "")")
      await bench.clock.advance(by: .seconds(5))
      #expect(bench.upstream.calls.count == number + 2)
    }
    #expect(bench.app.sessions.count == 0)
  }

  @Test func `A page of another site can't begin or end a session`() async throws {
    let bench = Bench()
    let name = try #require(HTTPField.Name("Sec-Fetch-Site"))
    let own: [HTTPFields] = [
      [:], [name: "same-origin"], [name: "none"], [.origin: "http://localhost"],
      [name: "same-origin", .origin: "https://localhost"],
    ]
    let foreign: [HTTPFields] = [
      [name: "cross-site"], [name: "same-site"], [.origin: "http://evil.example"],
      [.origin: "http://localhost:3000"], [.origin: "null"],
      [name: "same-origin", .origin: "http://evil.example"],
    ]
    for headers in own {
      let response = try await bench.respond(
        to: .post, "/sessions", headers: headers, body: #"{"user": "ada"}"#)
      #expect(response.status == .created, "\(headers)")
    }
    let session = try #require(bench.app.sessions.create(user: "ada"))
    let path = "/sessions/\(session.id)"
    for headers in foreign {
      let response = try await bench.respond(
        to: .post, "/sessions", headers: headers, body: #"{"user": "ada"}"#)
      #expect(response.status == .forbidden, "\(headers)")
      #expect(try await bench.respond(to: .delete, path, headers: headers).status == .forbidden, "\(headers)")
      #expect(try await bench.respond(to: .get, path, headers: headers).status == .ok, "\(headers)")
    }
    #expect(bench.app.sessions.count == own.count + 1)
  }

  @Test func `There are no more sessions than the limit`() async throws {
    let bench = Bench { $0.sessionLimit = 1 }
    let body = #"{"user": "ada"}"#
    #expect(try await bench.respond(to: .post, "/sessions", body: body).status == .created)
    #expect(try await bench.respond(to: .post, "/sessions", body: body).status == .serviceUnavailable)
    #expect(bench.app.sessions.count == 1)
  }

  @Test func `Headers that are too long are refused by the server`() async throws {
    let bench = Bench()
    try await bench.app.application.test(.live) { client in
      let response = try await client.execute(
        uri: "/", method: .get, headers: [.cookie: String(repeating: "a", count: 20_000)])
      #expect(400..<500 ~= response.status.code)
    }
    try await bench.app.application.test(.live) { client in
      let response = try await client.execute(uri: "/", method: .get)
      #expect(response.status == .ok)
    }
  }
}
