import HTTPTypes
import HummingbirdTesting
import NIOCore
import Synchronization
import Testing
import TimerOperatorPage
import TimerScheduling
import TimerSchedulingTesting

/// Actions on several timers at a time.
@Suite(.timeLimit(.minutes(30))) struct BulkTests {
  private let fixture = Fixture()

  private func timers(_ count: Int) -> [ScheduledTimer] {
    (0..<count).map { fixture.scheduler.schedule(.every(.seconds(60)), name: "\($0)") { _ in } }
  }

  private func form(_ timers: some Sequence<ScheduledTimer>) -> String {
    timers.map { "timer[]=jobs/\($0.id)" }.joined(separator: "&")
  }

  @Test func `Selected timers are paused and resumed, and others aren't`() async throws {
    let timers = timers(3)
    let form = form(timers.prefix(2)) + "&timer[]=jobs/99999&timer[]=x"
    try await fixture.app.test(.router) { client async throws in
      #expect(try await client.bulk("pause", form).text == "2 timers were paused.\n")
      #expect(timers.map(\.isPaused) == [true, true, false])
      #expect(try await client.bulk("resume", form).text == "2 timers were resumed.\n")
      #expect(timers.map(\.isPaused) == [false, false, false])
      #expect(try await client.bulk("pause", self.form(timers.prefix(1))).text == "1 timer was paused.\n")
      #expect(try await client.bulk("pause", "").text == "0 timers were paused.\n")
      #expect(try await client.bulk("fire", form).status == .notFound)
    }
  }

  @Test func `A thousand timers may be selected`() async throws {
    let timers = timers(1_000)
    try await fixture.app.test(.router) { client async throws in
      #expect(try await client.bulk("pause", form(timers)).text == "1,000 timers were paused.\n")
      #expect(
        try await client.bulk("resume", "x=" + String(repeating: "x", count: 200_000)).status
          == .contentTooLarge)
    }
    #expect(timers.allSatisfy { $0.isPaused })
  }

  @Test func `All timers that meet the query are paused, on all pages`() async throws {
    let timers = timers(120)
    try await fixture.app.test(.router) { client async throws in
      let response = try await client.bulk("pause", "all=yes&expected=22", query: "?q=11&page=9")
      #expect(response.status == .conflict)
      let others = try await client.bulk("pause", "all=yes&expected=120", query: "?q=")
      #expect(others.status == .conflict)
      let all = try await client.bulk("pause", "all=yes&expected=11", query: "?q=11&page=9")
      #expect(all.text == "11 timers were paused.\n")
    }
    #expect(timers.count { $0.isPaused } == 11)
    #expect(!fixture.timer.isPaused)
  }

  @Test func `A form without a script leads back to the page with its query`() async throws {
    try await fixture.app.test(.router) { client async throws in
      let response = try await client.bulk(
        "pause", form([fixture.timer]), query: "?q=clock&page=2", acceptsJSON: false)
      #expect(response.status == .seeOther)
      #expect(response.headers[.location] == "../../timers?q=clock&page=2")
      #expect(fixture.timer.isPaused)
    }
  }

  @Test func `Actions on several timers need the token, and are refused from other sites`() async throws {
    let guarded = Fixture(access: .ada())
    let form = "all=yes&expected=1"
    try await guarded.app.test(.router) { client async throws in
      #expect(try await client.bulk("pause", form).status == .unauthorized)
      #expect(try await client.bulk("work/1/undo", "").status == .unauthorized)
      let wrong = HTTPFields.ownPage.with([.adminToken: "x"])
      #expect(try await client.bulk("pause", form, headers: wrong).status == .forbidden)
      await guarded.clock.advance(by: .seconds(1))
      let foreign = HTTPFields.adminToken.with([.origin: "http://evil.example"])
      for action in ["pause", "work/1/stop", "work/1/undo"] {
        #expect(try await client.bulk(action, form, headers: foreign).status == .forbidden)
      }
      #expect(guarded.timer.state == .scheduled)
      let right = HTTPFields.ownPage.with(.adminToken)
      #expect(try await client.bulk("pause", form, headers: right).status == .ok)
      #expect(guarded.timer.state == .paused)
    }
  }

  // MARK: The expected number

  @Test(arguments: [
    "all=yes", "all=yes&expected=", "all=yes&expected=two", "all=yes&expected=99999999999999999999",
  ])
  func `An action on all that match has to say how many these are`(form: String) async throws {
    try await fixture.app.test(.router) { client async throws in
      let response = try await client.bulk("cancel", form)
      #expect(response.status == .badRequest)
      #expect(response.text.contains("\"expected\""))
      await fixture.clock.advance(by: .seconds(20))
      #expect(fixture.timer.state == .scheduled)
    }
  }

  @Test(arguments: [0, 11, 13, -1])
  func `Nothing is done if another number of timers match, and the answer says how many do`(
    expected: Int
  ) async throws {
    let timers = timers(11)
    try await fixture.app.test(.router) { client async throws in
      let response = try await client.bulk("pause", "all=yes&expected=\(expected)")
      #expect(response.status == .conflict)
      #expect(response.headers[.matchCount] == "12")
      #expect(response.text == "12 timers match now, and not \(expected). Nothing was changed.\n")
      #expect(timers.allSatisfy { !$0.isPaused })
      #expect(try await client.bulk("pause", "all=yes&expected=12").text == "12 timers were paused.\n")
      #expect(timers.allSatisfy { $0.isPaused })
      #expect(
        try await client.bulk("pause", "all=yes&expected=5", query: "?q=clock").text
          == "1 timer matches now, and not 5. Nothing was changed.\n")
    }
  }

  // MARK: Undoing

  @Test func `For ten seconds a pause can be undone, of the timers that it has changed`() async throws {
    let timers = timers(3)
    timers[0].pause()
    try await fixture.app.test(.router) { client async throws in
      let response = try await client.bulk("pause", form(timers))
      #expect(response.text == "3 timers were paused.\n")
      let number = try #require(response.headers[.workNumber])
      #expect(try await client.page().text.contains("action=\"timers/selected/work/\(number)/undo\""))
      await fixture.clock.advance(by: .seconds(9))
      #expect(try await client.bulk("work/\(number)/undo", "").text == "2 timers were resumed.\n")
      #expect(timers.map(\.isPaused) == [true, false, false])
      #expect(try await client.bulk("work/\(number)/undo", "").status == .conflict)

      let resume = try await client.bulk("resume", form(timers))
      #expect(resume.text == "3 timers were resumed.\n")
      await fixture.clock.advance(by: .seconds(10))
      let late = try #require(resume.headers[.workNumber])
      #expect(try await client.bulk("work/\(late)/undo", "").status == .conflict)
      #expect(try await !client.page().text.contains("/undo\""))
      #expect(timers.map(\.isPaused) == [false, false, false])
    }
  }

  @Test func `As many pauses as may be undone at a time can all be undone`() async throws {
    try await fixture.app.test(.router) { client async throws in
      var numbers: [String] = []
      while true {
        fixture.timer.resume()
        let response = try await client.bulk("pause", "all=yes&expected=1")
        guard response.status == .ok else { break }
        numbers.append(try #require(response.headers[.workNumber]))
      }
      #expect(numbers.count == 100)
      fixture.timer.pause()
      for number in numbers {
        #expect(try await client.bulk("work/\(number)/undo", "").status == .ok)
      }
    }
  }

  // seconds    0         10        20
  // cancels    said      undone    said      done at 30
  @Test func `A cancellation of many is held back for ten seconds, and says so`() async throws {
    let timers = timers(2)
    try await fixture.app.test(.router) { client async throws in
      func cancel() async throws -> String {
        #expect(try await client.bulk("cancel", form(timers), acceptsJSON: false).status == .seeOther)
        return try await client.page().text
      }
      #expect(try await cancel().contains("2 timers will be cancelled in 10 s."))
      await fixture.clock.advance(by: .milliseconds(9_999))
      #expect(timers.allSatisfy { $0.state == .scheduled })
      #expect(try await client.bulk("work/1/undo", "").text == "No timer was cancelled.\n")
      await fixture.clock.advance(by: .seconds(20))
      #expect(timers.allSatisfy { $0.state == .scheduled })

      #expect(try await cancel().contains("timers/selected/work/2/undo"))
      await fixture.clock.advance(by: .seconds(10))
      #expect(timers.allSatisfy { $0.state == .finished(.cancelled) })
      #expect(fixture.page.trail.entries.first?.outcome == "2 timers were cancelled.")
      #expect(try await client.bulk("work/2/undo", "").status == .conflict)
    }
  }

  // MARK: Slices

  /// Each reading of the clock takes 4 ms, so three timers are a slice.
  private let slow = Fixture(lookDuration: .milliseconds(4))

  @Test func `Others are served between slices of work, which says how far it has come`() async throws {
    let timers = (0..<100).map { _ in slow.scheduler.schedule(.every(.seconds(60))) { _ in } }
    let texts = Mutex<[String]>([])
    try await slow.app.test(.router) { client async throws in
      await slow.page.desk.betweenSlices { work in
        texts.withLock { $0.append(work.text) }
        #expect((try? await client.page())?.status == .ok)
      }
      let response = try await client.bulk("pause", "all=yes&expected=101")
      #expect(response.text.hasSuffix("101 timers were paused.\n"))
    }
    #expect(texts.withLock(\.self) == stride(from: 3, through: 99, by: 3).map { "paused \($0) of 101" })
    #expect(timers.allSatisfy { $0.isPaused })
  }

  @Test func `Work can be stopped, and what was done until then undone`() async throws {
    let timers = (0..<100).map { _ in slow.scheduler.schedule(.every(.seconds(60))) { _ in } }
    try await slow.app.test(.router) { client async throws in
      await slow.page.desk.betweenSlices { work in
        guard work.number == 1 else { return }
        #expect((try? await client.page())?.text.contains("timers/selected/work/1/stop") == true)
        #expect((try? await client.bulk("work/1/stop", ""))?.status == .ok)
      }
      let response = try await client.bulk("pause", "all=yes&expected=101")
      #expect(response.text.hasSuffix("Stopped: 3 timers of 101 were paused.\n"))
      #expect(timers.count { $0.isPaused } + (slow.timer.isPaused ? 1 : 0) == 3)
      #expect(try await client.bulk("work/1/stop", "").status == .conflict)
      #expect(try await client.bulk("work/1/undo", "").text.hasSuffix("3 timers were resumed.\n"))
      #expect(timers.allSatisfy { !$0.isPaused })
    }
  }
}

extension TestClientProtocol {
  /// Presses a button for several timers.
  func bulk(
    _ action: String, _ form: String, query: String = "", headers: HTTPFields = .ownPage,
    acceptsJSON: Bool = true
  ) async throws -> TestResponse {
    try await execute(
      uri: "/timers/selected/\(action)\(query)", method: .post,
      headers: headers.with(.form).with(acceptsJSON ? [.accept: "application/json"] : [:]),
      body: ByteBuffer(string: form))
  }
}

extension HTTPField.Name {
  static let matchCount = HTTPField.Name("X-Match-Count") ?? .via
  static let workNumber = HTTPField.Name("X-Work-Number") ?? .via
}
