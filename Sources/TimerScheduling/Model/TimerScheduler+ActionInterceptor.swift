extension TimerScheduler {
  /// Encloses the run of an action for one tick, which is `body`.
  public typealias ActionInterceptor =
    nonisolated(nonsending) @Sendable (
      _ tick: TimerTick, _ body: nonisolated(nonsending) @escaping @Sendable () async throws -> Void
    ) async throws -> Void
}

// Its name below `API/`.
typealias ActionInterceptor = TimerScheduler.ActionInterceptor
