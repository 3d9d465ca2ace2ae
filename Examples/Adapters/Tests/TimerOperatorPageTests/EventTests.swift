import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Testing
import TimerOperatorPage
import TimerScheduling
import TimerSchedulingTesting

@Suite(.timeLimit(.minutes(30))) struct EventTests {
  private let fixture = Fixture()

  // seconds    0    1    2    3
  // ticks           x    x
  // events      x    x    x
  @Test func `Events say what the timers are like, and end with the scheduler`() async throws {
    try await fixture.app.test(.router) { client in
      await fixture.clock.advance(by: .milliseconds(250))
      async let response = client.execute(uri: "/timers/events", method: .get, headers: .ownPage)
      await fixture.clock.waitForConsumers()
      await fixture.clock.advance(by: .milliseconds(2_500))
      fixture.scheduler.shutdown()

      let stream = try await response
      #expect(stream.headers[.contentType] == "text/event-stream")
      let event = try #require(try stream.events.last)
      #expect(event.rows.map(\.name) == ["clock"])
      #expect(event.rows.map(\.state) == ["scheduled"])
      #expect(event.rows.map(\.tickCount) == [2])
      #expect(event.rows.map(\.remaining) == [0.75])
      #expect(event.totals.first == "1")
      #expect(event.remainder == "")
    }
  }

  @Test func `An action is seen at once by all who watch`() async throws {
    let watch = try #require(await fixture.page.feed.watch())
    var events = watch.events.makeAsyncIterator()
    await fixture.clock.waitForConsumers()
    await fixture.clock.advance(by: .zero)
    #expect(try decode(await events.next()).rows.map(\.state) == ["scheduled"])

    _ = try await fixture.app.test(.router) { try await $0.post("pause", fixture.timer.id) }
    #expect(try decode(await events.next()).rows.map(\.state) == ["paused"])
    watch.end()
  }

  @Test func `All who watch share a timer, which ends with the last`() async throws {
    let feed = fixture.page.feed
    let first = try #require(await feed.watch())
    var firstEvents = first.events.makeAsyncIterator()
    await fixture.clock.waitForConsumers()
    await fixture.clock.advance(by: .milliseconds(250))
    _ = await firstEvents.next()

    // The second gets what the first has got, at once, with its age.
    let second = try #require(await feed.watch())
    var secondEvents = second.events.makeAsyncIterator()
    #expect(try decode(await secondEvents.next()).age == 0.25)
    #expect(await fixture.scheduler.snapshots.count == 2)
    let timer = try #require(await fixture.scheduler.timer(named: TimerFeed.timerName, owner: feed))

    first.end()
    await fixture.clock.advance(by: .seconds(1))
    #expect(try decode(await secondEvents.next()).age == 0)
    #expect(timer.state == .scheduled)

    second.end()
    #expect(await timer.waitUntilFinished() == .cancelled)
    #expect(await fixture.scheduler.snapshots.map(\.name) == ["clock"])
  }

  @Test func `Whoever watches again gets events again`() async throws {
    for _ in 0..<20 {
      let watch = try #require(await fixture.page.feed.watch())
      var events = watch.events.makeAsyncIterator()
      await fixture.clock.waitForConsumers()
      await fixture.clock.advance(by: .seconds(1))
      #expect(await events.next() != nil)
      watch.end()
    }
  }

  @Test func `Whoever begins to watch soon after a long look gets what it has seen`() async throws {
    let fixture = Fixture(lookDuration: .seconds(1))
    _ = try await fixture.app.test(.router) { try await $0.page() }
    let watch = try #require(await fixture.page.feed.watch())
    var events = watch.events.makeAsyncIterator()
    let event = try decode(await events.next())
    #expect(event.rows.map(\.name) == ["clock"])
    #expect(event.age > 0)
    watch.end()
  }

  @Test func `A watch that nobody has any more ends`() async throws {
    func drop() async throws -> ScheduledTimer {
      // Such as when the client has gone before it got an answer.
      let watch = await fixture.page.feed.watch()
      defer { withExtendedLifetime(watch) {} }
      return try #require(await fixture.scheduler.timer(named: TimerFeed.timerName, owner: fixture.page.feed))
    }
    #expect(try await drop().waitUntilFinished() == .cancelled)
  }

  @Test func `There is an end to how many may watch`() async throws {
    let watches = await (0..<TimerFeed.maximumWatchCount).asyncCompactMap { _ in
      await fixture.page.feed.watch()
    }
    #expect(watches.count == TimerFeed.maximumWatchCount)
    try await fixture.app.test(.router) { client in
      let response = try await client.execute(uri: "/timers/events", method: .get)
      #expect(response.status == .serviceUnavailable)
    }
    for watch in watches { watch.end() }
  }

  @Test(arguments: [[.transferEncoding: "chunked"], [.contentLength: "1"]] as [HTTPFields])
  func `A stream whose request announces a body is refused`(headers: HTTPFields) async throws {
    try await fixture.app.test(.router) { client in
      let response = try await client.execute(uri: "/timers/events", method: .get, headers: headers)
      #expect(response.status == .badRequest)
    }
    #expect(await fixture.scheduler.snapshots.map(\.name) == ["clock"])
  }

  // MARK: Over a connection

  @Test func `The timer of a stream is gone after its client`() async throws {
    try await fixture.app.test(.live) { client in
      let timer = try await TestClient.withClient(host: "localhost", port: try #require(client.port)) {
        client in
        try await client.executeAndDontWaitForResponse(Self.request)
        return try await timerOfStream()
      }
      #expect(await timer.waitUntilFinished() == .cancelled)
      #expect(await fixture.scheduler.snapshots.map(\.name) == ["clock"])
    }
  }

  @Test func `A server that stops gracefully ends its streams`() async throws {
    let (response, timer) = try await fixture.app.test(.live) { client in
      let other = TestClient(host: "localhost", port: try #require(client.port))
      other.connect()
      let response = Task { try await other.execute(Self.request) }
      return (response, try await timerOfStream())
    }
    // It isn't cut off, as it would be if it was cancelled.
    let events = try #require(try await response.value.body.map { String(buffer: $0) })
    #expect(events.hasSuffix("}\n\n"))
    #expect(await timer.waitUntilFinished() == .cancelled)
    #expect(fixture.timer.state == .scheduled)
  }

  @Test func `A stream with a body is refused, and doesn't keep the server from stopping`() async throws {
    var request = Self.request
    // In more parts than Hummingbird takes ahead of a reader.
    request.body = ByteBuffer(repeating: 0x78, count: 1_000_000)
    request.head.headerFields[.contentLength] = "1000000"
    try await fixture.app.test(.live) { [request] client in
      try await TestClient.withClient(host: "localhost", port: try #require(client.port)) {
        client async throws in
        #expect(try await client.execute(request).status == .badRequest)
      }
      #expect(await fixture.scheduler.snapshots.map(\.name) == ["clock"])
    }
  }

  private static let request = TestClient.Request("/timers/events", method: .get, authority: "localhost")

  /// Waits until a stream is open, and has had an event, and returns its timer.
  private func timerOfStream() async throws -> ScheduledTimer {
    await fixture.clock.waitForConsumers()
    await fixture.clock.advance(by: .seconds(2))
    return try #require(await fixture.scheduler.timer(named: TimerFeed.timerName, owner: fixture.page.feed))
  }

  private func decode(_ event: ByteBuffer?) throws -> Event {
    let text = String(buffer: try #require(event))
    return try JSONDecoder().decode(Event.self, from: Data(text.dropFirst(6).utf8))
  }
}

extension Sequence {
  fileprivate func asyncCompactMap<Result>(_ transform: (Element) async -> Result?) async -> [Result] {
    var results: [Result] = []
    for element in self {
      if let result = await transform(element) { results.append(result) }
    }
    return results
  }
}
