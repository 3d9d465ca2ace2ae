import TimerObserving
public import TimerScheduling
import TimerSchedulingCluster
public import Tracing

extension TimerScheduler.Configuration {
  /// Encloses each run of an action in a span.
  ///
  /// The span is named after the timer, `timer` if it has no name, and says which tick it was, what was
  /// missed and how late it was. An error that the action throws is recorded in it, and gives it the status
  /// of an error. A run that was cancelled hasn't failed: its span has the attribute `timer.run.cancelled`
  /// instead. The span of a cluster's run is named after its handler or, without one, its job, and has the
  /// attributes `timer.job`, `timer.handler`, `timer.attempt` and `timer.token`. An action isn't begun by a
  /// request, so its span has no parent. An interceptor that is there runs within the span.
  ///
  /// ```swift
  /// var configuration = TimerScheduler.Configuration()
  /// configuration.traceActions()
  /// ```
  ///
  /// - Parameter tracer: Where the spans go: the instrumentation system's tracer by default, as it is when an
  ///   action runs.
  public mutating func traceActions(with tracer: (any Tracer)? = nil) {
    encloseActions { tick, body in
      let tracer = tracer ?? InstrumentationSystem.tracer
      let run = ClusterRun.current
      let name = run.map { $0.handler.isEmpty ? $0.name : $0.handler } ?? ActionRun.current?.name ?? "timer"
      let cancellation = try await tracer.withAnySpan(name, ofKind: .internal) { span -> CancellationError? in
        if let run {
          span.attributes["timer.job"] = run.name
          span.attributes["timer.handler"] = run.handler
          span.attributes["timer.attempt"] = run.attempt
          span.attributes["timer.token"] = run.token
        }
        span.attributes["timer.tick.index"] = tick.index
        span.attributes["timer.tick.missed"] = tick.missedCount
        span.attributes["timer.tick.lateness_seconds"] = tick.lateness / .seconds(1)
        do {
          try await body()
          return nil
        } catch let error as CancellationError where Task.isCancelled {
          // An error that leaves the span is recorded in it.
          span.attributes["timer.run.cancelled"] = true
          return error
        }
      }
      if let cancellation { throw cancellation }
    }
  }
}
