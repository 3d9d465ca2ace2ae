import Foundation
import Logging
import ServerApp
import Testing
import UnixSignals

/// The end of the service, and what it writes then.
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

  /// Runs the service, and has it end by a signal as soon as its upstream was asked.
  ///
  /// - Returns: Whether the service is still ready.
  @discardableResult
  private func run(
    _ upstream: AskedUpstream, metricsFile: String, drainLimit: Duration = .seconds(3_600)
  ) async throws -> Bool {
    var options = ServerOptions()
    options.port = 0
    options.metricsFile = metricsFile
    options.drainLimit = drainLimit
    let app = ServerApp(
      options: options, upstream: upstream, registry: ServerApp.makeRegistry(),
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    let (signals, signal) = AsyncStream<UnixSignal>.makeStream()
    async let end: Void = app.run(until: signals)
    for await _ in upstream.asked.stream { break }
    signal.yield(.sigterm)
    try await end
    return app.readiness.isReady
  }

  @Test func `The metrics are written when all has ended`() async throws {
    defer { try? FileManager.default.removeItem(atPath: file) }
    #expect(try await !run(AskedUpstream(), metricsFile: file))
    #expect(try String(contentsOfFile: file, encoding: .utf8).contains(Self.metricsOfEnd))
  }

  @Test func `The metrics are written when what was left had to be cancelled`() async throws {
    defer { try? FileManager.default.removeItem(atPath: file) }
    await #expect(throws: (any Error).self) {
      try await run(AskedUpstream(isHung: true), metricsFile: file, drainLimit: .milliseconds(1))
    }
    #expect(try String(contentsOfFile: file, encoding: .utf8).contains(Self.metricsOfEnd))
  }

  @Test func `Metrics that can't be written leave the end as it was`() async throws {
    try await run(AskedUpstream(), metricsFile: "/nonexistent/metrics")
  }
}
