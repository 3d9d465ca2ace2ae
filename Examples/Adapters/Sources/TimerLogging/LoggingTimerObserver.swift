public import Logging
public import TimerScheduling
import TimerSchedulingCluster

/// Logs what happens to a scheduler's timers.
///
/// Pauses and resumes are logged at `info`, failures of actions are at `error`, and a tick that
/// missed deadlines is at `warning`. Other ticks, and reschedulings, are at `trace`.
///
/// A failure of a cluster's run has its job, handler and attempt, the token if its error has one, and the
/// date of the next attempt if there is one. A cluster's other errors have their job, handler and token, as
/// far as they belong to a run. The token of every run that failed is in the lines of `logActions(to:)`, by
/// its job and attempt.
///
/// The message of a line is always one of this type's own. A timer's name and an error's text are metadata,
/// written as ``LoggedText``: on one line, with escapes, and cut after 1,000 characters.
///
/// ```swift
/// var configuration = TimerScheduler.Configuration()
/// configuration.observer = LoggingTimerObserver(logger: Logger(label: "timers"))
/// ```
public struct LoggingTimerObserver: TimerObserver {
  private let logger: Logger

  /// Creates an observer that writes to a logger.
  public init(logger: Logger) {
    self.logger = logger
  }

  /// Logs one event.
  public func observe(_ event: TimerEvent) {
    switch event.kind {
    case .scheduled: log(.debug, "Timer scheduled", event)
    case .ticked(let tick) where tick.missedCount > 0:
      log(.warning, "Timer missed deadlines", event, tick.metadata)
    case .ticked(let tick): log(.trace, "Timer ticked", event, tick.metadata)
    case .paused: log(.info, "Timer paused", event)
    case .resumed: log(.info, "Timer resumed", event)
    case .rescheduled: log(.trace, "Timer rescheduled", event)
    case .actionFailed(ClusterError.runFailed(let job, let handler, let attempt, let next, let error)):
      var metadata: Logger.Metadata = [
        "job": "\(LoggedText(job))", "handler": "\(LoggedText(handler))", "attempt": "\(attempt)",
        "error": "\(LoggedText("\(error)"))",
      ]
      metadata["token"] = (error as? ClusterError)?.run["token"]
      if let next { metadata["next"] = "\(LoggedText("\(next)"))" }
      logger.error("A job's run failed", metadata: metadata)
    case .actionFailed(let error):
      var metadata = (error as? ClusterError)?.run ?? [:]
      metadata["error"] = "\(LoggedText("\(error)"))"
      log(.error, "Timer's action failed", event, metadata)
    case .finished(let reason): log(.debug, "Timer finished", event, ["reason": "\(reason)"])
    // Kinds of events that later versions add.
    @unknown default: log(.debug, "Timer changed", event)
    }
  }

  private func log(
    _ level: Logger.Level, _ message: Logger.Message, _ event: TimerEvent,
    _ details: @autoclosure () -> Logger.Metadata = [:]
  ) {
    let name = event.name ?? "\(event.timer)"
    logger.log(
      level: level, message,
      metadata: ["timer": "\(LoggedText(name))"].merging(details()) { own, _ in own })
  }
}

extension TimerTick {
  fileprivate var metadata: Logger.Metadata {
    ["index": "\(index)", "missed": "\(missedCount)", "lateness": "\(lateness)"]
  }
}

extension ClusterError {
  /// The job, handler and token of the run that the error belongs to, as far as the error has them.
  fileprivate var run: Logger.Metadata {
    switch self {
    case .runTakenOver(let job, let token), .runEnded(let job, let token),
      .leaseNotRenewed(let job, let token), .runAbandoned(let job, let token, _),
      .runCancelled(let job, let token, _):
      ["job": "\(LoggedText(job))", "token": "\(token)"]
    case .runOverdue(let job, let handler, let token, _):
      ["job": "\(LoggedText(job))", "handler": "\(LoggedText(handler))", "token": "\(token)"]
    case .dateGivenUp(let job, let handler, _, _):
      ["job": "\(LoggedText(job))", "handler": "\(LoggedText(handler))"]
    default: [:]
    }
  }
}
