import Foundation
import HTTPTypes
import HummingbirdTesting
import ServerApp
import Testing
import TimerSchedulingCluster
import TimerSchedulingTesting

/// Mails, which are jobs of a cluster.
@Suite(.timeLimit(.minutes(30))) struct MailTests {
  private let bench = Bench()

  private func put(_ body: String) async throws -> TestResponse {
    try await bench.respond(to: .post, "/mails", body: body)
  }

  /// The page's text, in which names have no places at which a line may break.
  private func page(_ path: String) async throws -> String {
    String(buffer: try await bench.respond(to: .get, "/timers\(path)").body).replacing("<wbr>", with: "")
  }

  @Test func `A mail is sent by a job, which the operators' page shows with the summary of each minute`()
    async throws
  {
    bench.app.mails.begin()
    let answer = try await put(#"{"to": "ada@example.org"}"#)
    #expect(answer.status == .accepted && String(buffer: answer.body) == "mail 1 to ada@example.org\n")
    await bench.clock.advance(by: .seconds(65))
    let history = try await bench.app.mails.cluster.history()
    #expect(Set(history.map(\.job)) == ["mail 1 to ada@example.org", "summary"])
    #expect(history.allSatisfy { $0.outcome == .done })
    #expect(try await page("/jobs").contains("<bdi>summary</bdi>"))
    #expect(try await page("").contains("<strong>All is well.</strong>"))
  }

  @Test func `A mail whose server doesn't answer waits for a retry, and fails for good at last`() async throws
  {
    bench.app.mails.begin()
    #expect(try await put(#"{"to": "ada@nowhere.invalid"}"#).status == .accepted)
    await bench.clock.advance(by: .seconds(3))
    let link = "<a data-job href=\"timers/jobs?in=retrying\">1 job waits for a retry</a>"
    #expect(try await page("").contains(link))
    #expect(try await page("/jobs?in=retrying").contains("<bdi>mail 1 to ada@nowhere.invalid</bdi>"))
    await bench.clock.advance(by: .seconds(60))
    #expect(try await page("").contains("1 job has failed"))
    #expect(try await page("/jobs?in=retrying").contains("No job."))
  }

  @Test(arguments: [
    "", "{", #"{"to": ""}"#, #"{"to": "a\u0000b"}"#, #"{"to": "\#(String(repeating: "a", count: 65))"}"#,
  ])
  func `An address that makes no sense is refused`(body: String) async throws {
    bench.app.mails.begin()
    #expect(try await put(body).status == .badRequest)
    #expect(try await bench.app.mails.cluster.jobs(matching: "mail").isEmpty)
  }

  @Test func `No more than a thousand mails wait`() async throws {
    // Without a handler they aren't sent.
    try await bench.app.mails.cluster.put(
      (0...MailJobs.limit).map { NewJob(name: "job \($0)", handler: "other") })
    #expect(try await put(#"{"to": "ada@example.org"}"#).status == .serviceUnavailable)
  }
}
