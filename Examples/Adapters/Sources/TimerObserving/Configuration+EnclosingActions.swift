public import TimerScheduling

extension TimerScheduler.Configuration {
  /// Adds an interceptor around the one that is there.
  ///
  /// ```swift
  /// var configuration = TimerScheduler.Configuration()
  /// configuration.encloseActions { tick, body in
  ///   try await withTimeout(30) { try await body() }
  /// }
  /// ```
  ///
  /// - Parameter outer: The interceptor. Its `body` runs the one that is there, or the action if there is
  ///   none.
  public mutating func encloseActions(with outer: @escaping TimerScheduler.ActionInterceptor) {
    guard let inner = interceptor else {
      interceptor = outer
      return
    }
    interceptor = { tick, body in try await outer(tick) { try await inner(tick, body) } }
  }
}
