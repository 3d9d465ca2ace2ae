import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import Testing
import TimerOperatorPage
import TimerScheduling
import TimerSchedulingTesting

@Suite(.timeLimit(.minutes(30))) struct EventTests {
  private let fixture = Fixture()

  // seconds    0    1    2    3
  // ticks           x    x
  // events      x    x    x
  @Test func `Reports say what the timers are like, one a second`() async throws {
    await fixture.clock.advance(by: .milliseconds(250))
    let watch = try #require(await fixture.page.feed.watch())
    var reports = watch.reports.makeAsyncIterator()
    for count in 0...2 {
      let row = try #require(await reports.next()?.rows.first)
      #expect(row.name == "clock")
      #expect(row.ticks == "\(count)")
      #expect(row.due == Double(count) + 1)
      await fixture.clock.waitForConsumers()
      await fixture.clock.advance(by: .seconds(1))
    }
    watch.end()
  }

  @Test func `An event says what has changed since the one before`() async throws {
    let watch = try #require(await fixture.page.feed.watch())
    var reports = watch.reports.makeAsyncIterator()
    var changes = ReportChanges()
    let report = try #require(await reports.next())
    let first = try decode(changes.event(for: report, at: .seconds(1)))
    #expect(first.rows.map(\.name) == ["clock"])
    #expect(first.rows.map(\.schedule) == ["every 1 s"])
    #expect(first.order == ["jobs/\(fixture.timer.id)"])
    #expect(first.numbers?.first?.first == "1")
    #expect(first.age == 1)

    let second = try decode(changes.event(for: report, at: .seconds(2)))
    #expect(second.rows.isEmpty)
    #expect(second.order == nil)
    #expect(second.numbers == nil)
    #expect(second.age == 2)

    fixture.timer.pause()
    let paused = try decode(
      changes.event(for: await fixture.page.feed.report(for: TimerQuery()), at: .seconds(2)))
    #expect(paused.rows.map(\.state) == ["paused"])
    #expect(paused.rows.map(\.left) == [1])
    #expect(paused.order == nil)
    watch.end()
  }

  @Test func `The first event of a stream says which page it is for`() async throws {
    var changes = ReportChanges(formToken: "5tr-x")
    let report = await fixture.page.feed.report(for: TimerQuery())
    #expect(try decode(changes.event(for: report, at: .zero)).formToken == "5tr-x")
    #expect(try decode(changes.event(for: report, at: .zero)).formToken == nil)
  }

  @Test func `Pausing all timers doesn't stop the events, and they show it`() async throws {
    let watch = try #require(await fixture.page.feed.watch())
    var reports = watch.reports.makeAsyncIterator()
    #expect(await reports.next()?.rows.map(\.state) == ["scheduled"])
    await fixture.scheduler.pauseAll()
    for _ in 0..<3 {
      await fixture.clock.waitForConsumers()
      await fixture.clock.advance(by: .seconds(1))
      #expect(await reports.next()?.rows.map(\.state) == ["paused"])
    }
    #expect(await fixture.scheduler.snapshots.map(\.name) == ["clock"])
    watch.end()
  }

  @Test func `Events go on after the scheduler's end, and show that there is no timer`() async throws {
    let watch = try #require(await fixture.page.feed.watch())
    var reports = watch.reports.makeAsyncIterator()
    #expect(await reports.next()?.rows.count == 1)
    fixture.scheduler.shutdown()
    await fixture.clock.waitForConsumers()
    await fixture.clock.advance(by: .seconds(1))
    let report = await reports.next()
    #expect(report?.rows.isEmpty == true)
    #expect(report?.position.text == "No timer.")
    watch.end()
  }

  @Test func `An action is seen at once by all who watch`() async throws {
    let watches = [
      try #require(await fixture.page.feed.watch()), try #require(await fixture.page.feed.watch()),
    ]
    var iterators = watches.map { $0.reports.makeAsyncIterator() }
    for index in iterators.indices {
      #expect(await iterators[index].next()?.rows.map(\.state) == ["scheduled"])
    }
    _ = try await fixture.app.test(.router) { try await $0.post("pause", fixture.timer.id) }
    for index in iterators.indices {
      var state = await iterators[index].next()?.rows.first?.state
      // The second page may have had two reports of its beginning.
      if state == "scheduled" { state = await iterators[index].next()?.rows.first?.state }
      #expect(state == "paused")
    }
    for watch in watches { watch.end() }
  }

  @Test func `A page that is opened again gets events again`() async throws {
    for _ in 0..<20 {
      let watch = try #require(await fixture.page.feed.watch())
      var reports = watch.reports.makeAsyncIterator()
      #expect(await reports.next() != nil)
      watch.end()
    }
  }

  @Test func `After a long look, a second without one still brings an event`() async throws {
    let fixture = Fixture(lookDuration: .milliseconds(100))
    let watch = try #require(await fixture.page.feed.watch())
    var reports = watch.reports.makeAsyncIterator()
    let first = try #require(await reports.next())
    await fixture.clock.waitForConsumers()
    await fixture.clock.advance(by: .seconds(1))
    let second = try #require(await reports.next())
    #expect(second.time == first.time)
    watch.end()
  }

  @Test func `A watch that was released leaves its place to another`() async throws {
    for _ in 0..<(2 * WatchSlots.count) {
      // Such as when the client has gone before it got an answer. The end is noticed by a task.
      while await fixture.page.feed.watch() == nil { await Task.yield() }
    }
  }

  @Test func `There is an end to how many may watch`() async throws {
    let watches = await (0..<WatchSlots.count).asyncCompactMap { _ in
      await fixture.page.feed.watch()
    }
    #expect(watches.count == WatchSlots.count)
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

  @Test func `A stream's place is free after its client has gone`() async throws {
    try await fixture.app.test(.live) { client in
      let port = try #require(client.port)
      for _ in 0..<(WatchSlots.count / 10) {
        try await TestClient.withClient(host: "localhost", port: port) { client in
          try await client.executeAndDontWaitForResponse(Self.request)
        }
      }
      // All places are free again when the server has noticed.
      var watches: [EventWatch] = []
      while watches.count < WatchSlots.count {
        if let watch = await fixture.page.feed.watch() { watches.append(watch) } else { await Task.yield() }
      }
    }
  }

  @Test func `A server that stops gracefully ends its streams`() async throws {
    let response = try await fixture.app.test(.live) { client in
      let other = TestClient(host: "localhost", port: try #require(client.port))
      other.connect()
      let response = Task { try await other.execute(Self.request) }
      await fixture.clock.waitForConsumers()
      await fixture.clock.advance(by: .seconds(2))
      return response
    }
    // It isn't cut off, as it would be if it was cancelled.
    let events = try #require(try await response.value.body.map { String(buffer: $0) })
    #expect(events.hasSuffix("}\n\n"))
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

  private func decode(_ event: ByteBuffer) throws -> Event {
    let text = String(buffer: event)
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
