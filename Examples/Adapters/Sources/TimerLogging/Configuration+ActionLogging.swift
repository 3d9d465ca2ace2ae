public import Logging
import TimerObserving
public import TimerScheduling

extension TimerScheduler.Configuration {
  /// Logs the beginning and the end of each run of an action, at `debug`.
  ///
  /// An interceptor that is there runs between the two. The timer's name is metadata, written as
  /// ``LoggedText``.
  ///
  /// ```swift
  /// var configuration = TimerScheduler.Configuration()
  /// configuration.logActions(to: Logger(label: "timers"))
  /// ```
  public mutating func logActions(to logger: Logger) {
    encloseActions { tick, body in
      let metadata: Logger.Metadata = [
        "timer": "\(LoggedText(ActionRun.current?.name ?? "unnamed"))", "index": "\(tick.index)",
      ]
      logger.debug("Action began", metadata: metadata)
      defer { logger.debug("Action ended", metadata: metadata) }
      try await body()
    }
  }
}
