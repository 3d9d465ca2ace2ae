import Foundation
import InMemoryLogging
import InMemoryTracing
import Logging
import MetricsTestKit
import Testing
import TimerLogging
import TimerMetrics
import TimerObserving
import TimerScheduling
import TimerSchedulingCluster
import TimerSchedulingTesting
import TimerTracing

/// The lines, metrics and spans of a cluster's runs and backlogs.
@Suite struct ClusterRunTests {
  private let clock = VirtualClock()
  private let metrics = TestMetrics()
  private let tracer = InMemoryTracer()
  private let log = InMemoryLogHandler()

  private func makeCluster() -> TimerCluster {
    var handler = log
    handler.logLevel = .debug
    let logger = Logger(label: "jobs") { [handler] _ in handler }
    var configuration = TimerScheduler.Configuration()
    configuration.observer = TimerObservers(
      LoggingTimerObserver(logger: logger), MetricsTimerObserver(factory: metrics))
    configuration.logActions(to: logger)
    configuration.measureActions(factory: metrics)
    configuration.traceActions(with: tracer)
    return TimerCluster(
      store: MemoryTimerStore(), scheduler: TimerScheduler(clock: clock, configuration: configuration))
  }

  @Test func `Lines, metrics and spans of a run name its job, handler and attempt`() async throws {
    let cluster = makeCluster()
    cluster.handle("mail", ifFailed: .retry(attempts: 2, backoff: .constant(.seconds(5)))) { _ in
      throw Failure()
    }
    cluster.schedule(.at(clock.date + 60), name: "code") { _ in }
    try await cluster.put(name: "to ann", handler: "mail")
    let start = clock.date
    await clock.advance(by: .seconds(70))
    let failures = log.entries.filter { $0.message == "A job's run failed" }.compactMap(\.metadata)
    #expect(failures.count == 2)
    #expect(failures[0]["job"] == "\"to ann\"" && failures[0]["handler"] == "mail")
    #expect(failures.map { $0["attempt"] } == ["1", "2"])
    #expect(failures[0]["next"] == "\(LoggedText("\(start + 5)"))" && failures[1]["next"] == nil)
    let began = log.entries.filter { $0.message == "Action began" }.compactMap(\.metadata)
    #expect(
      began.contains(["job": "\"to ann\"", "handler": "mail", "attempt": "2", "token": "3"]))
    #expect(began.contains { $0["job"] == "code" && $0["handler"] == "\"\"" })
    let ended = log.entries.filter { $0.message == "Action ended" }.compactMap(\.metadata)
    let failed = ended.filter { $0["error"] == "Failure()" }
    #expect(failed.map { $0["attempt"] } == ["1", "2"])
    #expect(failed.map { $0["token"] } == began.filter { $0["handler"] == "mail" }.map { $0["token"] })
    #expect(ended.contains { $0["job"] == "code" && $0["error"] == nil })
    #expect(metrics.counterTotal(label: "timer_failures", dimensions: [("timer", "mail")]) == 2)
    #expect(try metrics.expectTimer("timer_run", [("timer", "mail")]).values.count == 2)
    #expect(try metrics.expectTimer("timer_run", [("timer", "code")]).values.count == 1)
    let spans = tracer.finishedSpans.filter { $0.operationName == "mail" }
    #expect(spans.count == 2)
    #expect(spans.last?.attributes["timer.job"]?.toSpanAttribute() == .string("to ann"))
    #expect(spans.last?.attributes["timer.attempt"]?.toSpanAttribute() == .int64(2))
    #expect(spans.last?.attributes["timer.token"]?.toSpanAttribute() == .int64(3))
    #expect(spans.last?.errors.first?.error is Failure)
  }

  @Test func `An error line names the run that the cluster has ended, or the job whose date it has given up`()
    async throws
  {
    let cluster = makeCluster()
    cluster.handle("mail") { _ in try await clock.sleep(for: .seconds(3_600)) }
    try await cluster.put(name: "to ann", handler: "mail")
    await clock.advance(by: .seconds(5))
    try await cluster.cancelRun(of: "to ann", by: "bob")
    await clock.advance(by: .seconds(10))
    let failure = log.entries.first { $0.message == "A job's run failed" }?.metadata
    let began = log.entries.first { $0.message == "Action began" && $0.metadata["job"] != nil }?.metadata
    #expect(failure?["job"] == "\"to ann\"" && failure?["token"] != nil)
    #expect(failure?["token"] == began?["token"])
    // No replica handles it until it is too old.
    try await cluster.put(name: "code 1234", handler: "text", within: .seconds(60))
    await clock.advance(by: .seconds(120))
    cluster.handle("text") { _ in }
    await clock.advance(by: .seconds(5))
    let given = log.entries.first { $0.metadata["job"] == "\"code 1234\"" }
    #expect(given?.level == .error && given?.metadata["handler"] == "text")
    #expect(given?.metadata["token"] == nil)
  }

  @Test func `What is waiting is exported by handler, and becomes zero`() async throws {
    let cluster = makeCluster()
    for name in ["a", "b"] { try await cluster.put(name: name, handler: "mail") }
    await clock.advance(by: .seconds(90))
    let exported = BacklogMetrics(factory: metrics)
    func update() async throws -> [Double?] {
      exported.update(with: try await cluster.backlogs(), at: clock.date)
      return try ["due", "oldest_due_seconds", "running", "retrying", "failed"].map { label in
        try metrics.expectMeter("timer_jobs_" + label, [("handler", "mail")]).lastValue
      }
    }
    #expect(try await update() == [2, 90, 0, 0, 0])
    cluster.handle("mail", ifFailed: .leave) { run in
      if run.name == "a" { throw Failure() }
      try await clock.sleep(for: .seconds(10))
    }
    await clock.advance(by: .seconds(5))
    #expect(try await update() == [0, 0, 1, 0, 1])
    await clock.advance(by: .seconds(10))
    try await cluster.remove(name: "a")
    #expect(try await update() == [0, 0, 0, 0, 0])
    #expect(BacklogMetrics.descriptions.count == 5)
    for label in BacklogMetrics.descriptions.keys {
      #expect(throws: Never.self) { try metrics.expectMeter(label, [("handler", "mail")]) }
    }
  }
}
