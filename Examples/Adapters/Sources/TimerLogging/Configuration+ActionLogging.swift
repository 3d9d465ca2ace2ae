public import Logging
public import TimerScheduling

extension TimerScheduler.Configuration {
  /// Logs the beginning and the end of each run of an action, at `debug`.
  ///
  /// An interceptor that is there runs between the two.
  ///
  /// ```swift
  /// var configuration = TimerScheduler.Configuration()
  /// configuration.logActions(to: Logger(label: "timers"))
  /// ```
  public mutating func logActions(to logger: Logger) {
    let inner = interceptor
    interceptor = { tick, body in
      let metadata: Logger.Metadata = [
        "timer": "\(ActionRun.current?.name ?? "unnamed")", "index": "\(tick.index)",
      ]
      logger.debug("Action began", metadata: metadata)
      defer { logger.debug("Action ended", metadata: metadata) }
      if let inner { try await inner(tick, body) } else { try await body() }
    }
  }
}
