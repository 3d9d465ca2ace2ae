package import Logging
package import ServiceLifecycle
package import TimerScheduling
package import UnixSignals

/// Runs services until a signal ends them, and sees to it that the end comes.
///
/// The first signal has the services end gracefully. When the limit is reached, or a second signal comes, what is left is
/// cancelled. What doesn't end then is left alone, and the process ends without it.
package struct Drain: Sendable {
  /// An end by which something was cut off.
  package enum Failure: Error, Equatable, CustomStringConvertible {
    /// What was left ignored that it was cancelled.
    case abandoned([String])

    package var description: String {
      switch self {
      case .abandoned(let names): "These ignored that they were cancelled: \(names.joined(separator: ", "))."
      }
    }
  }

  /// How long to wait for what was cancelled.
  package static let cancellationLimit = Duration.seconds(3)

  private let services: [any Service]
  private let limit: Duration
  private let scheduler: TimerScheduler
  private let logger: Logger
  private let running: @Sendable () -> [String]

  /// Creates a drain that has yet to run.
  ///
  /// - Parameters:
  ///   - services: The services, of which the last ends first.
  ///   - limit: How long they may take.
  ///   - scheduler: Whose time it takes. It isn't one of the services.
  ///   - logger: Where the end is told of.
  ///   - running: The names of what is under way.
  package init(
    services: [any Service], limit: Duration, scheduler: TimerScheduler, logger: Logger,
    running: @escaping @Sendable () -> [String]
  ) {
    self.services = services
    self.limit = limit
    self.scheduler = scheduler
    self.logger = logger
    self.running = running
  }

  /// Runs the services, and returns when all have ended.
  ///
  /// - Parameter signals: The signals that the process gets.
  /// - Throws: What the services have thrown, a `CancellationError` if they were cancelled, or ``Failure``.
  package func run(until signals: some AsyncSequence<UnixSignal, Never> & Sendable) async throws {
    let group = ServiceGroup(services: services, logger: logger)
    let (ends, end) = AsyncStream<Result<Void, any Error>>.makeStream()
    // Neither task is a child, as the services may ignore that they are cancelled.
    let run = Task {
      do { end.yield(.success(try await group.run())) } catch { end.yield(.failure(error)) }
    }
    let watch = Task {
      do {
        try await endGracefully(group, run, on: signals)
        end.yield(.failure(Failure.abandoned(running())))
      } catch {
        // The services have ended.
      }
    }
    defer {
      watch.cancel()
      run.cancel()
    }
    for await result in ends { return try result.get() }
    throw CancellationError()
  }

  /// Ends the services at the first signal. Returns when they have had all the time there is, and throws if it is
  /// cancelled before, as they have ended.
  private func endGracefully(
    _ group: ServiceGroup, _ run: Task<Void, Never>,
    on signals: some AsyncSequence<UnixSignal, Never> & Sendable
  ) async throws {
    var signals = signals.makeAsyncIterator()
    guard await signals.next(isolation: #isolation) != nil else { throw CancellationError() }
    logger.info("Draining", metadata: ["limit": "\(limit)", "running": "\(summary)"])
    await group.triggerGracefulShutdown()
    let second = try? await withTimeout(limit, on: scheduler) { await signals.next(isolation: #isolation) }
    try Task.checkCancellation()
    logger.warning(
      second == nil ? "The drain limit was reached" : "A second signal ends the drain",
      metadata: ["running": "\(summary)"])
    run.cancel()
    try await scheduler.sleep(for: Self.cancellationLimit)
    logger.critical(
      "The process ends without what ignores its cancellation", metadata: ["running": "\(summary)"])
  }

  private var summary: String {
    let names = running()
    return names.isEmpty ? "nothing" : names.joined(separator: ", ")
  }
}
