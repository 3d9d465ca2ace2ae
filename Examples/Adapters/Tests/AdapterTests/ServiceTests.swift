import Logging
import ServiceLifecycle
import Testing
import TimerLifecycle
import TimerScheduling
import TimerSchedulingTesting

@Suite struct ServiceTests {
  @Test func `A scheduler in a service group ends its streams and its running actions`() async throws {
    let clock = VirtualClock()
    let scheduler = TimerScheduler(clock: clock)
    let group = ServiceGroup(
      configuration: ServiceGroupConfiguration(
        services: [scheduler], logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }))
    let began = AsyncStream<Void>.makeStream()
    let mayEnd = AsyncStream<Void>.makeStream()
    let ended = AsyncStream<Bool>.makeStream()
    let job = scheduler.schedule(.every(.seconds(1), starting: .immediately), name: "job") { _ in
      began.continuation.yield()
      for await _ in mayEnd.stream {}
      ended.continuation.yield(!Task.isCancelled)
    }
    let ticks = Task {
      for await _ in scheduler.ticks(every: .seconds(1)) {}
    }
    let running = Task { try await group.run() }
    let advancing = Task { await clock.advance(by: .zero) }
    for await _ in began.stream { break }
    await group.triggerGracefulShutdown()
    // The stream's end says that the scheduler was shut down, with the action still under way.
    await ticks.value
    #expect(job.state == .finished(.schedulerShutDown))
    mayEnd.continuation.finish()
    try await running.value
    for await wasLeftAlone in ended.stream {
      #expect(wasLeftAlone)
      break
    }
    await advancing.value
  }
}
