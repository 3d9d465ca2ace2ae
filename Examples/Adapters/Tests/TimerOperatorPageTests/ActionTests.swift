import HTTPTypes
import HummingbirdTesting
import Testing
import TimerScheduling
import TimerSchedulingTesting

@Suite(.timeLimit(.minutes(30))) struct ActionTests {
  private let fixture = Fixture()

  // seconds    0    1    2    3    4    5    6    7
  // ticks           x    x                   x    x
  // actions              pause     resume
  @Test func `Pause stops a timer, and resume lets it go on`() async throws {
    try await fixture.app.test(.router) { client in
      await fixture.clock.advance(by: .seconds(2))
      try await client.post("pause", fixture.timer.id)
      #expect(fixture.timer.state == .paused)

      await fixture.clock.advance(by: .seconds(3))
      #expect(await fixture.tickCount == 2)

      try await client.post("resume", fixture.timer.id)
      #expect(fixture.timer.state == .scheduled)

      await fixture.clock.advance(by: .seconds(2))
      #expect(await fixture.tickCount == 4)
    }
  }

  @Test func `Fire ticks at once, and leaves the schedule as it is`() async throws {
    try await fixture.app.test(.router) { client in
      let next = fixture.timer.nextDate
      try await client.post("fire", fixture.timer.id)
      await fixture.clock.advance(by: .zero)
      #expect(await fixture.tickCount == 1)
      #expect(fixture.timer.nextDate == next)
    }
  }

  @Test func `Cancel ends a timer, and there is nothing to do with it then`() async throws {
    try await fixture.app.test(.router) { client in
      try await client.post("cancel", fixture.timer.id)
      #expect(fixture.timer.state == .finished(.cancelled))
      for action in ["pause", "resume", "fire", "cancel"] {
        #expect(try await client.post(action, fixture.timer.id).status == .notFound)
      }
    }
  }

  @Test func `What a timer is already, it may be told to be`() async throws {
    try await fixture.app.test(.router) { client in
      #expect(try await client.post("resume", fixture.timer.id).status == .seeOther)
      #expect(fixture.timer.state == .scheduled)
      try await client.post("pause", fixture.timer.id)
      #expect(try await client.post("pause", fixture.timer.id).status == .seeOther)
      #expect(fixture.timer.state == .paused)
    }
  }

  @Test func `A paused timer doesn't fire, and the page says so`() async throws {
    try await fixture.app.test(.router) { client async throws in
      fixture.timer.pause()
      #expect(try await client.post("fire", fixture.timer.id).status == .conflict)
      fixture.timer.resume()
      await fixture.clock.advance(by: .zero)
      #expect(await fixture.tickCount == 0)
    }
  }

  @Test func `A form is sent back to the page, a script is told that it is done`() async throws {
    try await fixture.app.test(.router) { client in
      let form = try await client.post("fire", fixture.timer.id, form: "formToken=")
      #expect(form.status == .seeOther)
      #expect(form.headers[.location] == "../../../timers")

      let script = try await client.post(
        "fire", fixture.timer.id, headers: .ownPage.with([.accept: "application/json"]))
      #expect(script.status == .noContent)
    }
  }

  @Test func `After an action the page shows what has become of the timer`() async throws {
    try await fixture.app.test(.router) { client in
      #expect(try await client.page().text.contains("data-state=\"scheduled\""))
      try await client.post("pause", fixture.timer.id)
      #expect(try await client.page().text.contains("data-state=\"paused\""))
    }
  }
}
