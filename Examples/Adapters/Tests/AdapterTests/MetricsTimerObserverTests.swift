import MetricsTestKit
import Synchronization
import Testing
import TimerMetrics
import TimerScheduling
import TimerSchedulingTesting

@Suite struct MetricsTimerObserverTests {
  private let clock = VirtualClock()
  private let metrics = TestMetrics()

  private func makeScheduler(nameLimit: Int = 200) -> TimerScheduler {
    var configuration = TimerScheduler.Configuration()
    configuration.observer = MetricsTimerObserver(factory: metrics, nameLimit: nameLimit)
    return TimerScheduler(clock: clock, configuration: configuration)
  }

  private func count(_ label: String, of timer: String) -> Int64 {
    metrics.counterTotal(label: label, dimensions: [("timer", timer)])
  }

  // seconds     0    1    2    3    4    5
  // deadlines        |    |    |    |    |
  // stall       [==============]
  // ticks                      x    x    x
  @Test func `Ticks, missed deadlines, failures and lateness are counted`() async throws {
    let scheduler = makeScheduler()
    scheduler.schedule(.every(.seconds(1)), name: "job") { tick in
      if tick.index == 1 { throw Failure() }
    }
    await clock.stall(for: .milliseconds(3250))
    await clock.advance(by: .seconds(2))
    #expect(count("timer_ticks", of: "job") == 3)
    #expect(count("timer_missed", of: "job") == 2)
    #expect(count("timer_failures", of: "job") == 1)
    let lateness = try metrics.expectTimer("timer_lateness", [("timer", "job")])
    #expect(lateness.values == [250_000_000, 0, 0])
  }

  @Test func `A timer that has yet to tick is there, with nothing counted`() async throws {
    let scheduler = makeScheduler()
    let timer = scheduler.schedule(.every(.seconds(1)), name: "job") { _ in }
    await clock.advance(by: .zero)
    #expect(try metrics.expectCounter("timer_ticks", [("timer", "job")]).totalValue == 0)
    timer.cancel()
  }

  @Test func `A thousand timers without a name make one series`() async {
    let scheduler = makeScheduler()
    for _ in 0..<1_000 { scheduler.schedule(.after(.seconds(1))) { _ in } }
    await clock.advance(by: .seconds(1))
    #expect(metrics.counters(label: "timer_ticks").count == 1)
    #expect(count("timer_ticks", of: "unnamed") == 1_000)
  }

  @Test func `Names beyond the limit share a series`() async {
    let scheduler = makeScheduler(nameLimit: 2)
    for name in ["a", "b", "c", "d"] { scheduler.schedule(.every(.seconds(1)), name: name) { _ in } }
    scheduler.schedule(.every(.seconds(1))) { _ in }
    await clock.advance(by: .seconds(3))
    #expect(["a", "b", "other", "unnamed"].map { count("timer_ticks", of: $0) } == [3, 3, 6, 3])
    #expect(metrics.counters(label: "timer_ticks").count == 4)
    await scheduler.cancelAll()
  }

  @Test func `The run time of each action is measured, also of one that throws`() async throws {
    var configuration = TimerScheduler.Configuration()
    let runs = Mutex(0)
    configuration.interceptor = { _, body in
      runs.withLock { $0 += 1 }
      try await body()
    }
    configuration.measureActions(factory: metrics, nameLimit: 1)
    let scheduler = TimerScheduler(clock: clock, configuration: configuration)
    scheduler.schedule(.every(.seconds(1)), name: "job") { _ in throw Failure() }
    await clock.advance(by: .seconds(2))
    scheduler.schedule(.every(.seconds(1)), name: "second") { _ in }
    scheduler.schedule(.every(.seconds(1))) { _ in }
    await clock.advance(by: .seconds(1))
    #expect(try metrics.expectTimer("timer_run", [("timer", "job")]).values.count == 3)
    #expect(try metrics.expectTimer("timer_run", [("timer", "other")]).values.count == 1)
    #expect(try metrics.expectTimer("timer_run", [("timer", "unnamed")]).values.count == 1)
    #expect(runs.withLock(\.self) == 5)
  }
}
