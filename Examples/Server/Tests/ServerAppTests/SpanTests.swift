import InMemoryTracing
import Testing
import Tracing

/// The spans of the service's jobs.
@Suite struct SpanTests {
  private static let tracer = {
    let tracer = InMemoryTracer()
    InstrumentationSystem.bootstrap(tracer)
    return tracer
  }()

  @Test func `With a tracer, each run of a job is a span`() async throws {
    let tracer = Self.tracer
    let bench = Bench { $0.refreshInterval = .seconds(3_600) }
    try bench.app.scheduleJobs()
    await bench.clock.advance(by: .seconds(60))
    let names = tracer.finishedSpans.map(\.operationName)
    #expect(names.contains("refresh") && names.contains("flush"))
  }
}
