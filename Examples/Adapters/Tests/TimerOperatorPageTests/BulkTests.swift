import HTTPTypes
import HummingbirdTesting
import NIOCore
import Testing
import TimerScheduling
import TimerSchedulingTesting

/// Actions on several timers at a time.
@Suite(.timeLimit(.minutes(30))) struct BulkTests {
  private let fixture = Fixture()

  private func post(
    _ action: String, _ form: String, query: String = "", headers: HTTPFields = .ownPage,
    to client: any TestClientProtocol
  ) async throws -> TestResponse {
    try await client.execute(
      uri: "/timers/selected/\(action)\(query)", method: .post,
      headers: headers.with(.form).with([.accept: "application/json"]), body: ByteBuffer(string: form))
  }

  @Test func `Selected timers are paused, resumed and cancelled, and others aren't`() async throws {
    let timers = (0..<3).map { fixture.scheduler.schedule(.every(.seconds(60)), name: "\($0)") { _ in } }
    let form = "timer[]=jobs/\(timers[0].id)&timer[]=jobs/\(timers[1].id)&timer[]=jobs/99999&timer[]=x"
    try await fixture.app.test(.router) { client async throws in
      #expect(try await post("pause", form, to: client).text == "2 timers were paused.")
      #expect(timers.map(\.isPaused) == [true, true, false])
      #expect(try await post("resume", form, to: client).text == "2 timers were resumed.")
      #expect(timers.map(\.isPaused) == [false, false, false])
      #expect(try await post("cancel", form, to: client).text == "2 timers were cancelled.")
      #expect(timers.map(\.state.isFinished) == [true, true, false])
      #expect(try await post("pause", "", to: client).text == "0 timers were paused.")
      #expect(try await post("fire", form, to: client).status == .notFound)
    }
  }

  @Test func `All timers that meet the query are paused, on all pages`() async throws {
    let sessions = (0..<120).map {
      fixture.scheduler.schedule(.every(.seconds(60)), name: "session \($0)") { _ in }
    }
    try await fixture.app.test(.router) { client async throws in
      let response = try await post("pause", "all=yes", query: "?q=SESSION", to: client)
      #expect(response.text == "120 timers were paused.")
    }
    #expect(sessions.allSatisfy { $0.isPaused })
    #expect(!fixture.timer.isPaused)
  }

  @Test func `A form without a script leads back to the page with its query`() async throws {
    try await fixture.app.test(.router) { client async throws in
      let response = try await client.execute(
        uri: "/timers/selected/pause?q=clock&page=2", method: .post, headers: .ownPage.with(.form),
        body: ByteBuffer(string: "timer[]=jobs/\(fixture.timer.id)"))
      #expect(response.status == .seeOther)
      #expect(response.headers[.location] == "../../timers?q=clock&page=2")
      #expect(fixture.timer.isPaused)
    }
  }

  @Test func `Actions on several timers need the token, and are refused from other sites`() async throws {
    let guarded = Fixture(access: .ada())
    try await guarded.app.test(.router) { client async throws in
      #expect(try await post("pause", "all=yes", to: client).status == .unauthorized)
      let wrong = HTTPFields.ownPage.with([.adminToken: "x"])
      #expect(try await post("pause", "all=yes", headers: wrong, to: client).status == .forbidden)
      await guarded.clock.advance(by: .seconds(1))
      let foreign = HTTPFields.adminToken.with([.origin: "http://evil.example"])
      #expect(try await post("pause", "all=yes", headers: foreign, to: client).status == .forbidden)
      #expect(guarded.timer.state == .scheduled)
      let right = HTTPFields.ownPage.with(.adminToken)
      #expect(try await post("pause", "all=yes", headers: right, to: client).status == .ok)
      #expect(guarded.timer.state == .paused)
    }
  }
}
