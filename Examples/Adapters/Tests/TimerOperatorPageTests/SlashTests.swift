import Foundation
import HTTPTypes
import HummingbirdTesting
import Testing
import TimerOperatorPage

/// Addresses with a slash at their end, below which the page's relative links would lead nowhere.
@Suite(.timeLimit(.minutes(30))) struct SlashTests {
  @Test(arguments: [
    ("/timers/", "/timers"), ("/timers//", "/timers"), ("/timers/login/", "/timers/login"),
    ("/timers/hour/", "/timers/hour"), ("/timers/schedulers/", "/timers/schedulers"),
    ("/timers/?q=a%20b&state=paused", "/timers?q=a%20b&state=paused"),
    ("/timers/?q=%0d%0aSet-Cookie:x", "/timers?q=%0d%0aSet-Cookie:x"),
  ])
  func `A slash at the end leads to the address without it`(given: String, target: String) async throws {
    for access in [PageAccess.open, .ada()] {
      let fixture = Fixture(access: access)
      try await fixture.app.test(.router) { client async throws in
        let response = try await client.execute(uri: given, method: .get)
        #expect(response.status == .permanentRedirect)
        let location = try #require(response.headers[.location])
        for prefix in ["http://localhost", "https://timers.example/ops"] {
          let base = try #require(URL(string: prefix + given))
          #expect(URL(string: location, relativeTo: base)?.absoluteString == prefix + target)
        }
        let followed = try await client.execute(uri: target, method: .get, headers: .adminToken)
        #expect(followed.status == .ok)
      }
    }
  }

  @Test func `An action isn't led on`() async throws {
    let fixture = Fixture()
    try await fixture.app.test(.router) { client async throws in
      let post = try await client.post("pause/", fixture.timer.id)
      #expect(post.status == .seeOther)
      #expect(post.headers[.location]?.contains("pause") == false)
      #expect(fixture.timer.state == .paused)
    }
  }
}
