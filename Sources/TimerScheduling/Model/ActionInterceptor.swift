/// A function that encloses the run of an action for one tick, passed as `body`.
public typealias ActionInterceptor =
  nonisolated(nonsending) @Sendable (
    _ tick: TimerTick, _ body: nonisolated(nonsending) @Sendable () async throws -> Void
  ) async throws -> Void
