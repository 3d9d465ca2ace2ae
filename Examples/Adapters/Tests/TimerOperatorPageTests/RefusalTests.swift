import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Testing
import TimerScheduling
import TimerSchedulingTesting

/// Requests that are refused, and leave the timers alone.
@Suite(.timeLimit(.minutes(30))) struct RefusalTests {
  private let open = Fixture()
  private let guarded = Fixture(access: .ada())

  /// Sends requests, then checks that the timer is still scheduled and ticks.
  private func checkUntouched(
    _ fixture: Fixture, by requests: @Sendable (any TestClientProtocol) async throws -> Void
  ) async throws {
    try await fixture.app.test(.router) { client in try await requests(client) }
    #expect(fixture.timer.state == .scheduled)
    await fixture.clock.advance(by: .seconds(3))
    #expect(await fixture.tickCount == 3)
  }

  // MARK: Other sites

  static let foreign: [HTTPFields] = [
    [.secFetchSite: "cross-site"],
    [.secFetchSite: "same-site"],
    [.secFetchSite: "same-site", .origin: "http://localhost"],
    [.secFetchSite: "same-origin", .origin: "http://evil.example"],
    [.origin: "http://evil.example"],
    [.origin: "http://localhost:3000"],
    [.origin: "http://localhost.evil.example"],
    [.origin: "file://localhost"],
    [.origin: "null"],
    [.origin: ""],
  ]

  @Test(arguments: foreign)
  func `Posts from other sites are refused`(headers: HTTPFields) async throws {
    try await checkUntouched(open) { client async throws in
      let form = "formToken=\(try formToken(on: await client.page()))"
      #expect(
        try await client.post("pause", open.timer.id, headers: headers, form: form).status == .forbidden)
    }
    try await checkUntouched(guarded) { client async throws in
      let response = try await client.post("pause", guarded.timer.id, headers: headers.with(.adminToken))
      #expect(response.status == .forbidden)
    }
  }

  @Test(arguments: foreign)
  func `Other sites can't hold event streams open`(headers: HTTPFields) async throws {
    try await open.app.test(.router) { client async throws in
      let response = try await client.execute(uri: "/timers/events", method: .get, headers: headers)
      #expect(response.status == .forbidden)
    }
    #expect(await open.scheduler.snapshots.count == 1)
  }

  @Test(arguments: [[:], [.secFetchSite: "none"]] as [HTTPFields])
  func `A post that doesn't say where it comes from needs the form token`(headers: HTTPFields) async throws {
    try await checkUntouched(open) { client async throws in
      let id = open.timer.id
      #expect(try await client.post("pause", id, headers: headers).status == .forbidden)
      #expect(try await client.post("pause", id, headers: headers, form: "formToken=").status == .forbidden)
      #expect(try await client.post("pause", id, headers: headers, form: "formToken=x").status == .forbidden)
    }
    try await open.app.test(.router) { client async throws in
      let form = "formToken=\(try formToken(on: await client.page()))"
      #expect(try await client.post("pause", open.timer.id, headers: headers, form: form).status == .seeOther)
      #expect(open.timer.state == .paused)
    }
  }

  @Test(
    arguments: [
      [.secFetchSite: "same-origin"], [.origin: "http://localhost"], [.origin: "HTTP://LOCALHOST"],
      [.origin: "https://localhost"],
    ] as [HTTPFields])
  func `A post that the browser says is the page's is done`(headers: HTTPFields) async throws {
    try await open.app.test(.router) { client async throws in
      #expect(try await client.post("pause", open.timer.id, headers: headers).status == .seeOther)
      #expect(open.timer.state == .paused)
    }
  }

  @Test func `Pages of two processes have different form tokens`() async throws {
    let tokens = try await [open, Fixture()].asyncMap { fixture in
      try await fixture.app.test(.router) { client in try formToken(on: await client.page()) }
    }
    #expect(tokens[0] != tokens[1])
    #expect(tokens[0].count > 20)
  }

  @Test func `A page from before a restart of the server changes nothing`() async throws {
    let old = try await Fixture().app.test(.router) { client in try formToken(on: await client.page()) }
    try await checkUntouched(open) { client async throws in
      let form = "formToken=\(old)"
      let one = try await client.post("pause", open.timer.id, form: form)
      #expect(one.status == .conflict)
      #expect(one.text.contains("Load it again."))
      let many = try await client.bulk("pause", "all=yes&expected=1&\(form)")
      #expect(many.status == .conflict)
      #expect(many.headers[.matchCount] == nil)
    }
  }

  private func formToken(on page: TestResponse) throws -> String {
    let start = try #require(page.text.range(of: "name=\"formToken\" value=\"")).upperBound
    return String(page.text[start...].prefix { $0 != "\"" })
  }

  // MARK: What makes no sense

  @Test(arguments: [
    ("x", "pause", HTTPResponse.Status.badRequest), ("-1", "pause", .badRequest),
    ("1.5", "pause", .badRequest),
    ("99999999999999999999999", "pause", .badRequest), ("%3Cscript%3E", "pause", .badRequest),
    ("18446744073709551615", "pause", .notFound), ("0", "explode", .notFound), ("0", "PAUSE", .notFound),
    ("0", "", .notFound),
  ])
  func `What isn't a timer or an action is refused`(
    id: String, action: String, status: HTTPResponse.Status
  ) async throws {
    try await checkUntouched(open) { client async throws in
      #expect(try await client.post(action, id).status == status)
    }
  }

  @Test(arguments: [
    ("token=%zz", HTTPResponse.Status.badRequest), ("token=a&token=b", .badRequest),
    ("token[=a", .badRequest),
    ("formToken[]=a", .badRequest), ("x=" + String(repeating: "x", count: 17_000), .contentTooLarge),
    ("x=" + String(repeating: "x", count: 200_000), .contentTooLarge),
  ])
  func `What isn't a form is refused`(form: String, status: HTTPResponse.Status) async throws {
    try await checkUntouched(open) { client async throws in
      #expect(try await client.post("pause", open.timer.id, form: form).status == status)
    }
  }

  @Test func `A body that isn't text, or of another type, is refused`() async throws {
    try await checkUntouched(open) { client async throws in
      let uri = "/timers/jobs/\(open.timer.id)/pause"
      let notText = try await client.execute(
        uri: uri, method: .post, headers: .ownPage.with(.form), body: ByteBuffer(bytes: [0xFF, 0xFE, 0x3D]))
      #expect(notText.status == .badRequest)
      let json = try await client.execute(
        uri: uri, method: .post, headers: .ownPage.with([.contentType: "application/json"]),
        body: ByteBuffer(string: "{}"))
      #expect(json.status == .unsupportedMediaType)
    }
  }

  @Test func `Nothing is changed by getting`() async throws {
    try await checkUntouched(open) { client async throws in
      let response = try await client.execute(
        uri: "/timers/jobs/\(open.timer.id)/pause", method: .get, headers: .ownPage)
      #expect(response.status == .notFound || response.status == .methodNotAllowed)
    }
  }
}

extension Sequence {
  fileprivate func asyncMap<Result>(_ transform: (Element) async throws -> Result) async rethrows -> [Result]
  {
    var results: [Result] = []
    for element in self { results.append(try await transform(element)) }
    return results
  }
}
