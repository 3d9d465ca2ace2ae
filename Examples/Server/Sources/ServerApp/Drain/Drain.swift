package import Logging
package import ServiceLifecycle
package import TimerScheduling
package import UnixSignals

/// Runs services until a signal ends them, and sees to it that the end comes.
///
/// The first signal has the services end gracefully. When the limit is reached, or a second signal comes,
/// what is left is cancelled. What doesn't end then is left alone, and the process ends without it.
///
/// A second signal counts a second after the first. A supervisor and a shell may both pass on the same end,
/// and then two signals come within milliseconds.
package struct Drain: Sendable {
  /// An end by which something was cut off.
  package enum Failure: Error, Equatable, CustomStringConvertible {
    /// The work that hadn't ended by the limit, or by a second signal, and was cancelled.
    case cancelled([String])
    /// The work that was cancelled and hasn't ended.
    case abandoned([String])

    package var description: String {
      switch self {
      case .cancelled(let work): "What hadn't ended in time was cancelled: \(work.summary)."
      case .abandoned(let work): "What was cancelled hasn't ended: \(work.summary)."
      }
    }
  }

  /// The time after the first signal in which further ones are ignored.
  package static let signalPause = Duration.seconds(1)
  /// The time that cancelled services have to end.
  package static let cancellationLimit = Duration.seconds(3)

  private let services: [any Service]
  private let limit: Duration
  private let scheduler: TimerScheduler
  private let logger: Logger
  private let openWork: @Sendable () -> [String]

  /// Creates a drain that has yet to run.
  ///
  /// - Parameters:
  ///   - services: The services, of which the last ends first.
  ///   - limit: How long they may take.
  ///   - scheduler: Whose time it takes. It isn't one of the services.
  ///   - logger: Where the end is told of.
  ///   - openWork: Returns a description of everything that hasn't ended.
  package init(
    services: [any Service], limit: Duration, scheduler: TimerScheduler, logger: Logger,
    openWork: @escaping @Sendable () -> [String]
  ) {
    self.services = services
    self.limit = limit
    self.scheduler = scheduler
    self.logger = logger
    self.openWork = openWork
  }

  private enum Event {
    case ended(Result<Void, any Error>)
    /// The services have had all the time there is.
    case isOver
    /// So have those that were cancelled.
    case isAbandoned
  }

  /// Runs the services, and returns when all have ended.
  ///
  /// - Parameter signals: The signals that the process gets.
  /// - Throws: What the services have thrown, or ``Failure`` if something was cut off.
  package func run(until signals: some AsyncSequence<UnixSignal, Never> & Sendable) async throws {
    let group = ServiceGroup(services: services, logger: logger)
    let (events, event) = AsyncStream<Event>.makeStream()
    // Neither task is a child, as the services may ignore that they are cancelled.
    let run = Task {
      do { event.yield(.ended(.success(try await group.run()))) } catch {
        event.yield(.ended(.failure(error)))
      }
    }
    let watch = Task {
      try await end(group, on: signals)
      event.yield(.isOver)
      try await scheduler.sleep(for: Self.cancellationLimit)
      event.yield(.isAbandoned)
    }
    defer {
      watch.cancel()
      run.cancel()
    }
    var cancelled: [String]?
    for await event in events {
      switch event {
      case .ended(let result):
        if let cancelled { throw Failure.cancelled(cancelled) }
        return try result.get()
      case .isOver:
        cancelled = openWork()
        run.cancel()
      case .isAbandoned:
        logger.critical("The process ends without what ignores its cancellation", metadata: metadata)
        throw Failure.abandoned(openWork())
      }
    }
    throw CancellationError()
  }

  /// Has the services end at the first signal. Returns when the limit is reached, or at a second signal.
  private func end(
    _ group: ServiceGroup, on signals: some AsyncSequence<UnixSignal, Never> & Sendable
  ) async throws {
    var signals = signals.makeAsyncIterator()
    guard await signals.next(isolation: #isolation) != nil else { throw CancellationError() }
    let pause = scheduler.schedule(after: Self.signalPause) { _ in }
    defer { pause.cancel() }
    logger.info("Draining", metadata: metadata)
    await group.triggerGracefulShutdown()
    let second = try? await withTimeout(limit, on: scheduler) {
      while let signal = await signals.next(isolation: #isolation) {
        guard pause.nextDate != nil else { return signal as UnixSignal? }
        logger.info("A signal within a second of the first is ignored", metadata: ["signal": "\(signal)"])
      }
      return nil
    }
    try Task.checkCancellation()
    logger.warning(
      second == nil ? "The drain limit was reached" : "A second signal ends the drain", metadata: metadata)
  }

  private var metadata: Logger.Metadata { ["limit": "\(limit)", "running": "\(openWork().summary)"] }
}

extension [String] {
  fileprivate var summary: String { isEmpty ? "nothing" : joined(separator: ", ") }
}
