import Foundation
import Logging
import PrometheusRegistry
import ServerApp
import ServiceLifecycleTestKit
import Testing

/// How the service ends, and what is written then.
@Suite(.timeLimit(.minutes(30))) struct EndTests {
  /// Says when it is asked, and then answers at once or when it is cancelled.
  private struct AskedUpstream: Upstream {
    let asked = AsyncStream<Void>.makeStream()
    var isHung = false

    func fetch() async throws -> String {
      asked.continuation.yield()
      if isHung { try await Task.sleep(for: .seconds(3_600)) }
      return "answer"
    }
  }

  private static let metricsOfEnd = "timer_scheduler_active{scheduler=\"jobs\"} 0\n"

  private let file = FileManager.default.temporaryDirectory.appending(path: "metrics-\(UUID())").path()

  /// Runs the service, and has it end as soon as its upstream was asked.
  private func run(_ upstream: AskedUpstream, metricsFile: String, drainLimit: Duration) async throws {
    var options = ServerOptions()
    options.port = 0
    options.metricsFile = metricsFile
    options.drainLimit = drainLimit
    let app = ServerApp(
      options: options, upstream: upstream, registry: PrometheusRegistry(),
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    try await testGracefulShutdown { trigger in
      async let end: Void = app.run()
      for await _ in upstream.asked.stream { break }
      trigger.triggerGracefulShutdown()
      try await end
    }
  }

  @Test func `The metrics are written when all has ended`() async throws {
    defer { try? FileManager.default.removeItem(atPath: file) }
    try await run(AskedUpstream(), metricsFile: file, drainLimit: .seconds(3_600))
    #expect(try String(contentsOfFile: file, encoding: .utf8).contains(Self.metricsOfEnd))
  }

  @Test func `The metrics are written when what was left had to be cancelled`() async throws {
    defer { try? FileManager.default.removeItem(atPath: file) }
    await #expect(throws: (any Error).self) {
      try await run(AskedUpstream(isHung: true), metricsFile: file, drainLimit: .zero)
    }
    #expect(try String(contentsOfFile: file, encoding: .utf8).contains(Self.metricsOfEnd))
  }

  @Test func `Metrics that can't be written leave the end as it was`() async throws {
    try await run(AskedUpstream(), metricsFile: "/nonexistent/metrics", drainLimit: .seconds(3_600))
  }
}
