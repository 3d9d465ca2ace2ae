import InMemoryLogging
import Logging
import ServerApp
import ServiceLifecycle
import Synchronization
import Testing
import TimerScheduling
import TimerSchedulingTesting
import UnixSignals

/// The end of the process, in virtual time.
@Suite(.timeLimit(.minutes(30))) struct DrainTests {
  private let clock = VirtualClock()
  private let log = LineLog()
  private let signals = AsyncStream<UnixSignal>.makeStream()

  /// A service that ends as the test says.
  private struct Slow: Service {
    enum End {
      /// When the service is to end.
      case gracefully
      /// When it is cancelled.
      case ifCancelled
      /// When its stream of ends has an end.
      case never
    }

    let end: End
    let began = AsyncStream<Void>.makeStream()
    let mayEnd = AsyncStream<Void>.makeStream()

    func run() async throws {
      began.continuation.yield()
      switch end {
      case .gracefully: try await gracefulShutdown()
      case .ifCancelled: try await Task.sleep(for: .seconds(3_600))
      case .never: await Task { for await _ in mayEnd.stream {} }.value
      }
    }
  }

  private func makeDrain(of service: any Service) -> Drain {
    Drain(
      services: [service], limit: .seconds(20), scheduler: TimerScheduler(clock: clock),
      logger: Logger(label: "test") { _ in log }
    ) { ["action refresh"] }
  }

  private var messages: [String] {
    log.entries.map { "\($0.level) \($0.message)" }.filter {
      !$0.contains("ervice") && !$0.contains("hutdown")
    }
  }

  /// Has time pass until the drain ends. Returns how much has passed, to a tenth of a second.
  private func timeUntilEnd(of drain: Task<Void, any Error>) async -> Duration {
    let isOver = Atomic(false)
    async let end: Void = {
      _ = await drain.result
      isOver.store(true, ordering: .relaxed)
    }()
    let start = clock.date
    while !isOver.load(ordering: .relaxed) {
      await clock.advance(by: .milliseconds(100))
      await Task.yield()
    }
    await end
    return .seconds(clock.date.timeIntervalSince(start))
  }

  @Test func `Services that end in time are waited for`() async throws {
    let service = Slow(end: .gracefully)
    let drain = Task { try await makeDrain(of: service).run(until: signals.stream) }
    for await _ in service.began.stream { break }
    signals.continuation.yield(.sigterm)
    try await drain.value
    #expect(!messages.contains { $0.hasPrefix("warning") || $0.hasPrefix("critical") })
  }

  @Test func `At the limit what is left is cancelled, and the log says what held it`() async throws {
    let service = Slow(end: .ifCancelled)
    let drain = Task { try await makeDrain(of: service).run(until: signals.stream) }
    for await _ in service.began.stream { break }
    signals.continuation.yield(.sigterm)
    let start = clock.date
    while !messages.contains("warning The drain limit was reached") {
      await clock.advance(by: .milliseconds(100))
      await Task.yield()
    }
    #expect(clock.date.timeIntervalSince(start) >= 20)
    // No more time passes, so what was cancelled has all it needs to end.
    await #expect(throws: Drain.Failure.cancelled(["action refresh"])) { try await drain.value }
    #expect(messages == ["info Draining", "warning The drain limit was reached"])
    #expect(
      log.entries.last { $0.level == .warning }?.metadata["running"] == "action refresh")
  }

  // seconds   0      1  1
  // signals   x x    x  x
  // counts    x         x
  @Test func `A second signal counts a second after the first, and has what is left cancelled at once`()
    async throws
  {
    let service = Slow(end: .ifCancelled)
    let drain = Task {
      defer { log.end() }
      try await makeDrain(of: service).run(until: signals.stream)
    }
    for await _ in service.began.stream { break }
    // A supervisor and a shell pass on the same end.
    signals.continuation.yield(.sigterm)
    signals.continuation.yield(.sigint)
    let ignored = "A signal within a second of the first is ignored"
    var lines = log.lines.filter { $0 == ignored }.makeAsyncIterator()
    #expect(await lines.next() != nil)
    await clock.advance(by: Drain.signalPause - .milliseconds(1))
    signals.continuation.yield(.sigterm)
    #expect(await lines.next() != nil)
    #expect(messages == ["info Draining", "info \(ignored)", "info \(ignored)"])
    await clock.advance(by: .milliseconds(1))
    signals.continuation.yield(.sigint)
    // No more time passes.
    await #expect(throws: Drain.Failure.cancelled(["action refresh"])) { try await drain.value }
    #expect(messages.last == "warning A second signal ends the drain")
    #expect(clock.date.timeIntervalSinceReferenceDate == 1)
  }

  @Test func `A service that ignores its cancellation doesn't keep the process`() async throws {
    let service = Slow(end: .never)
    let drain = Task { try await makeDrain(of: service).run(until: signals.stream) }
    for await _ in service.began.stream { break }
    signals.continuation.yield(.sigterm)
    #expect(await timeUntilEnd(of: drain) >= .seconds(20) + Drain.cancellationLimit)
    await #expect(throws: Drain.Failure.abandoned(["action refresh"])) { try await drain.value }
    #expect(messages.last == "critical The process ends without what ignores its cancellation")
    service.mayEnd.continuation.finish()
  }

  @Test func `Services that end by themselves end the drain, and their error is its error`() async throws {
    struct Failure: Error {}
    await #expect(throws: Failure.self) {
      try await makeDrain(of: ClosureService { throw Failure() }).run(until: signals.stream)
    }
    #expect(messages.isEmpty)
  }

  @Test func `A drain whose task is cancelled cancels its services`() async throws {
    let service = Slow(end: .ifCancelled)
    let drain = Task { try await makeDrain(of: service).run(until: signals.stream) }
    for await _ in service.began.stream { break }
    drain.cancel()
    await #expect(throws: CancellationError.self) { try await drain.value }
  }
}
