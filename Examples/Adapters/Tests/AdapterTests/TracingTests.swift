import InMemoryTracing
import Testing
import TimerScheduling
import TimerSchedulingTesting
import TimerTracing
import Tracing

@Suite struct TracingTests {
  private let clock = VirtualClock()
  private let tracer = InMemoryTracer()

  private func makeScheduler(
    with change: (inout TimerScheduler.Configuration) -> Void = { _ in }
  ) -> TimerScheduler {
    var configuration = TimerScheduler.Configuration()
    change(&configuration)
    configuration.traceActions(with: tracer)
    return TimerScheduler(clock: clock, configuration: configuration)
  }

  @Test func `Each run of an action is a span named after its timer`() async {
    let scheduler = makeScheduler()
    scheduler.schedule(.every(.seconds(1)).limit(2), name: "refresh") { [tracer] _ in
      tracer.withSpan("fetch") { _ in }
    }
    scheduler.schedule(.after(.seconds(3))) { _ in }
    await clock.advance(by: .seconds(3))
    let spans = tracer.finishedSpans
    #expect(spans.map(\.operationName) == ["fetch", "refresh", "fetch", "refresh", "timer"])
    #expect(tracer.activeSpans.isEmpty)
    // The action's own spans are within it, and it is within none.
    #expect(spans[0].parentSpanID == spans[1].spanID)
    #expect(spans[1].parentSpanID == nil)
    #expect(spans[1].traceID != spans[3].traceID)
    #expect(spans[3].attributes["timer.tick.index"]?.toSpanAttribute() == .int64(1))
  }

  @Test func `What was missed, and the lateness, are attributes`() async {
    let scheduler = makeScheduler()
    scheduler.schedule(.every(.seconds(1)), name: "refresh") { _ in }
    await clock.stall(for: .milliseconds(3500))
    await scheduler.cancelAll()
    let attributes = tracer.finishedSpans.first?.attributes
    #expect(attributes?["timer.tick.missed"]?.toSpanAttribute() == .int64(2))
    #expect(attributes?["timer.tick.lateness_seconds"]?.toSpanAttribute() == .double(0.5))
  }

  @Test func `An error is recorded, and the scheduler's as well`() async {
    let scheduler = makeScheduler()
    let timer = scheduler.schedule(.after(.seconds(1)), name: "refresh") { _ in throw Failure() }
    await clock.advance(by: .seconds(1))
    #expect(tracer.finishedSpans.first?.errors.count == 1)
    #expect(tracer.finishedSpans.first?.errors.first?.error is Failure)
    #expect(timer.failure is Failure)
  }

  @Test func `A run that was cancelled has no error`() async {
    let scheduler = makeScheduler()
    let (begins, begin) = AsyncStream<Void>.makeStream()
    let sleeper = TimerScheduler(clock: clock)
    let timer = scheduler.schedule(.after(.seconds(1)), name: "refresh") { _ in
      begin.yield()
      try await sleeper.sleep(for: .seconds(3_600))
    }
    await clock.advance(by: .seconds(1))
    for await _ in begins { break }
    timer.cancel()
    await scheduler.shutdownAndWait()
    #expect(tracer.finishedSpans.map(\.operationName) == ["refresh"])
    #expect(tracer.finishedSpans.first?.errors.isEmpty == true)
    #expect(tracer.finishedSpans.first?.status == nil)
    #expect(
      tracer.finishedSpans.first?.attributes["timer.run.cancelled"]?.toSpanAttribute() == .bool(true))
  }

  @Test func `A cancellation that the run's end has nothing to do with is an error`() async {
    let scheduler = makeScheduler()
    scheduler.schedule(.after(.seconds(1)), name: "refresh") { _ in throw CancellationError() }
    await clock.advance(by: .seconds(1))
    #expect(tracer.finishedSpans.first?.errors.first?.error is CancellationError)
    #expect(tracer.finishedSpans.first?.status?.code == .error)
  }

  @Test func `An interceptor that is there already runs within the span`() async {
    let scheduler = makeScheduler { [tracer] configuration in
      configuration.interceptor = { _, body in
        #expect(tracer.activeSpans.map(\.operationName) == ["refresh"])
        try await tracer.withSpan("inner") { _ in try await body() }
      }
    }
    scheduler.schedule(.after(.seconds(1)), name: "refresh") { _ in }
    await clock.advance(by: .seconds(1))
    #expect(tracer.finishedSpans.map(\.operationName) == ["inner", "refresh"])
  }

  @Test func `An action stays on its actor`() async {
    let scheduler = makeScheduler()
    let timer = scheduler.schedule(.after(.seconds(1)), name: "refresh") { @MainActor _ in
      MainActor.assertIsolated()
    }
    await clock.advance(by: .seconds(1))
    #expect(timer.state == .finished(.completed))
    #expect(tracer.finishedSpans.count == 1)
  }
}
