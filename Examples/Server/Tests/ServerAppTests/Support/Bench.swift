import Foundation
import Hummingbird
import HummingbirdTesting
import InMemoryLogging
import Logging
import PrometheusRegistry
import ServerApp
import TimerScheduling
import TimerSchedulingTesting

/// The service on a virtual clock, with an upstream that does as the test says.
struct Bench: Sendable {
  let clock: VirtualClock
  let upstream: TestUpstream
  let app: ServerApp
  let log = InMemoryLogHandler()

  init(
    date: Date = Date(timeIntervalSinceReferenceDate: 0), failing: Set<Int> = [],
    options change: (inout ServerOptions) -> Void = { _ in }
  ) {
    let clock = VirtualClock(date: date)
    let upstream = TestUpstream(on: clock, failing: failing)
    var options = ServerOptions()
    change(&options)
    app = ServerApp(
      options: options, upstream: upstream, registry: ServerApp.makeRegistry(buckets: [0.1, 1]),
      logger: Logger(label: "test") { [log] _ in log }
    ) { configuration in
      TimerScheduler(clock: clock, configuration: configuration)
    }
    self.clock = clock
    self.upstream = upstream
  }

  /// Answers one request.
  func respond(
    to method: HTTPRequest.Method, _ uri: String, headers: HTTPFields = [:], body: String? = nil
  ) async throws -> TestResponse {
    try await app.application.test(.router) { client in
      try await client.execute(
        uri: uri, method: method, headers: headers, body: body.map(ByteBuffer.init(string:)))
    }
  }

  /// The metrics, each line's value by what stands before it.
  func metrics() async throws -> [String: Double] {
    let lines = String(buffer: try await respond(to: .get, "/metrics").body).split(separator: "\n")
    return Dictionary(
      uniqueKeysWithValues: lines.filter { !$0.hasPrefix("#") }.compactMap { line in
        line.lastIndex(of: " ").flatMap { space in
          Double(line[line.index(after: space)...]).map { (String(line[..<space]), $0) }
        }
      })
  }
}
