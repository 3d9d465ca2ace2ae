public import Logging
import TimerObserving
public import TimerScheduling
import TimerSchedulingCluster

extension TimerScheduler.Configuration {
  /// Logs the beginning and the end of each run of an action, at `debug`.
  ///
  /// An interceptor that is there runs between the two. The timer's name is metadata, written as
  /// ``LoggedText``. A run of a cluster has its job, handler, attempt and token instead. The end of a run
  /// that failed has its error, too.
  ///
  /// ```swift
  /// var configuration = TimerScheduler.Configuration()
  /// configuration.logActions(to: Logger(label: "timers"))
  /// ```
  public mutating func logActions(to logger: Logger) {
    encloseActions { tick, body in
      var metadata: Logger.Metadata =
        ClusterRun.current.map { run in
          [
            "job": "\(LoggedText(run.name))", "handler": "\(LoggedText(run.handler))",
            "attempt": "\(run.attempt)", "token": "\(run.token)",
          ]
        } ?? [
          "timer": "\(LoggedText(ActionRun.current?.name ?? "unnamed"))", "index": "\(tick.index)",
        ]
      logger.debug("Action began", metadata: metadata)
      defer { logger.debug("Action ended", metadata: metadata) }
      do {
        try await body()
      } catch {
        metadata["error"] = "\(LoggedText("\(error)"))"
        throw error
      }
    }
  }
}
