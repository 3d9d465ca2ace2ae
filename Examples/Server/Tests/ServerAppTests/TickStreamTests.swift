import Hummingbird
import HummingbirdTesting
import Logging
import ServiceLifecycle
import Synchronization
import Testing
import TimerLifecycle
import TimerScheduling

/// A response that a scheduler's ticks drive, open while the server is to end. Its client stays.
@Suite(.timeLimit(.minutes(30))) struct TickStreamTests {
  private let scheduler = TimerScheduler()
  private let began = AsyncStream<Void>.makeStream()

  /// An application whose only response is a stream of ticks.
  private func makeApp(
    endsAtShutdown: Bool, onPort: @escaping @Sendable (Int) -> Void = { _ in }
  ) -> Application<RouterResponder<BasicRequestContext>> {
    let router = Router()
    router.get("ticks") { [scheduler, began] _, _ in
      Response(
        status: .ok,
        body: ResponseBody { writer in
          let ticks = scheduler.ticks(every: .milliseconds(10))
          began.continuation.yield()
          if endsAtShutdown {
            for await _ in ticks.cancelOnGracefulShutdown() {
              try await writer.write(ByteBuffer(string: "tick\n"))
            }
          } else {
            for await _ in ticks { try await writer.write(ByteBuffer(string: "tick\n")) }
          }
          try await writer.finish(nil)
        })
    }
    return Application(
      router: router, configuration: ApplicationConfiguration(address: .hostname("localhost", port: 0)),
      onServerRunning: { onPort($0.localAddress?.port ?? 0) },
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
  }

  // The application ends the server first, and the services that were added to it after that.
  @Test func `With addServices, a stream that is cancelled at the shutdown doesn't hold it up`() async throws
  {
    var app = makeApp(endsAtShutdown: true)
    app.addServices(scheduler)
    let response = try await app.test(.live) { client in
      let other = TestClient(host: "localhost", port: try #require(client.port))
      other.connect()
      let response = Task {
        try await other.execute(TestClient.Request("/ticks", method: .get, authority: "localhost"))
      }
      for await _ in began.stream { break }
      return response
    }
    // The response has its end, so it wasn't cut off.
    #expect(try await response.value.status == .ok)
    #expect(scheduler.schedule(after: .seconds(1)) { _ in }.state == .finished(.schedulerShutDown))
  }

  // A group ends its last service first.
  @Test func `With the scheduler after the server, its streams end with it`() async throws {
    let isListening = AsyncStream<Int>.makeStream()
    let app = makeApp(endsAtShutdown: false) { isListening.continuation.yield($0) }
    let group = ServiceGroup(
      services: [app, scheduler], logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    async let end: Void = group.run()
    var ports = isListening.stream.makeAsyncIterator()
    let client = TestClient(host: "localhost", port: try #require(await ports.next()))
    client.connect()
    async let response = client.execute(TestClient.Request("/ticks", method: .get, authority: "localhost"))
    for await _ in began.stream { break }
    await group.triggerGracefulShutdown()
    #expect(try await response.status == .ok)
    try await end
  }
}
