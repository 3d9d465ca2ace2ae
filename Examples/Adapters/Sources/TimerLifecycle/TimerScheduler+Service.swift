public import ServiceLifecycle
public import TimerScheduling

extension TimerScheduler: @retroactive Service {
  /// Works until the service group shuts it down, and then until running actions have returned.
  public func run() async throws { try await run(until: gracefulShutdown) }
}
