import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Testing
import TimerOperatorPage
import TimerScheduling
import TimerSchedulingTesting

/// Clients that give wrong tokens.
@Suite(.timeLimit(.minutes(30))) struct GuessTests {
  private let guarded = Fixture(access: .ada())
  private var id: ScheduledTimer.ID { guarded.timer.id }

  // seconds               0    1    3       7               15
  // wrong tokens, 403     x    x    x       x
  // wrong tokens, 429       x    x     x x     x x x x x x
  // right tokens            x    x     x x     x x x x x x
  @Test func `After each wrong token a client waits twice as long, but not with a right one`() async throws {
    try await guarded.app.test(.router) { client async throws in
      func status(_ token: String, from address: String) async throws -> HTTPResponse.Status {
        try await client.post(
          "resume", id, headers: HTTPFields.client(address).with([.adminToken: token])
        ).status
      }
      for delay in [1, 2, 4, 8, 16, 32, 60, 60] {
        #expect(try await status("wrong", from: "198.51.100.1") == .forbidden)
        for _ in 0..<3 {
          #expect(try await status("wrong", from: "198.51.100.1") == .tooManyRequests)
          // An operator behind the same proxy isn't locked out, and doesn't end the delay of the one who
          // guesses.
          #expect(try await status(PageAccess.token, from: "198.51.100.1") == .seeOther)
        }
        await guarded.clock.advance(by: .seconds(delay) - .milliseconds(1))
        #expect(try await status("wrong", from: "198.51.100.1") == .tooManyRequests)
        await guarded.clock.advance(by: .milliseconds(1))
      }
      #expect(try await status("wrong", from: "198.51.100.2") == .forbidden)
    }
    #expect(guarded.audit.count { $0.metadata["outcome"] == "403" } == 9)
    #expect(try guarded.metrics.expectCounter("timer_page_wrong_tokens").totalValue == 8 * 5 + 1)
    #expect(
      try guarded.metrics.expectCounter("timer_page_refusals", [("status", "429")]).totalValue == 8 * 4)
  }

  @Test func `An insider's right token doesn't shorten the delays of guesses at another's`() async throws {
    let tokens = try OperatorToken.parse("ada:\(PageAccess.token) mallory:mallory-mallory-mallory")
    let fixture = Fixture(access: .tokens(tokens))
    try await fixture.app.test(.router) { client async throws in
      func status(_ token: String) async throws -> HTTPResponse.Status {
        try await client.post("resume", fixture.timer.id, headers: [.adminToken: token]).status
      }
      var looks: [Int] = []
      for second in 0..<40 {
        if try await status("guess \(second)") == .forbidden { looks.append(second) }
        #expect(try await status("mallory-mallory-mallory") == .seeOther)
        await fixture.clock.advance(by: .seconds(1))
      }
      #expect(looks == [0, 1, 3, 7, 15, 31])
    }
  }

  @Test func `A login is a guess, too, and says when to try again, but a right token logs in`() async throws {
    try await guarded.app.test(.router) { client async throws in
      let wrong = try await client.logIn(token: "wrong")
      #expect(wrong.status == .forbidden)
      #expect(wrong.text.contains("The admin token is wrong."))
      #expect(wrong.text.contains("action=\"login?q=clock\""))
      let early = try await client.logIn(token: "wrong")
      #expect(early.status == .tooManyRequests)
      #expect(early.headers[.retryAfter] == "1")
      #expect(early.headers[.setCookie] == nil)
      let right = try await client.logIn()
      #expect(right.status == .seeOther)
      #expect(right.headers[.setCookie] != nil)
    }
  }

  @Test func `The delay of a client is bounded, and so is the number of clients`() throws {
    var throttle = GuessThrottle()
    let ada = try #require(IPAddress("2001:db8::1"))
    for _ in 0..<100 { throttle.noteFailure(of: ada, at: .zero) }
    #expect(throttle.delay(of: ada, at: .zero) == GuessThrottle.maximumDelay)
    // Of the same network, which a client has for itself.
    #expect(throttle.delay(of: IPAddress("2001:db8:0:1::2"), at: .zero) == GuessThrottle.maximumDelay)
    #expect(throttle.delay(of: IPAddress("2001:db8:1::1"), at: .zero) == .zero)
    for number in 0..<2 * GuessThrottle.clientLimit {
      throttle.noteFailure(of: IPAddress("10.0.\(number / 256).\(number % 256)"), at: .zero)
    }
    // The others are forgotten first, as they may try earlier.
    #expect(throttle.delay(of: ada, at: .zero) == GuessThrottle.maximumDelay)
    let waiting = (0..<2 * GuessThrottle.clientLimit).count { number in
      throttle.delay(of: IPAddress("10.0.\(number / 256).\(number % 256)"), at: .zero) > .zero
    }
    #expect((GuessThrottle.clientLimit / 2...GuessThrottle.clientLimit).contains(waiting))
    #expect(throttle.delay(of: IPAddress("198.51.100.1"), at: .zero) == .zero)
    // A quarter of an hour later all is forgotten.
    throttle.noteFailure(of: IPAddress("198.51.100.3"), at: .seconds(1_000))
    #expect(throttle.delay(of: ada, at: .seconds(1_000)) == .zero)
    #expect(throttle.delay(of: IPAddress("198.51.100.3"), at: .seconds(1_000)) == .seconds(1))
  }
}
