import MetricsTestKit
import Testing
import TimerMetrics
import TimerScheduling
import TimerSchedulingTesting

@Suite struct StatisticsMetricsTests {
  private let metrics = TestMetrics()
  private let exported: StatisticsMetrics

  init() {
    exported = StatisticsMetrics(of: "jobs", factory: metrics)
  }

  private func gauge(_ label: String, _ dimensions: [(String, String)] = []) throws -> Double? {
    try metrics.expectMeter("timer_scheduler_" + label, [("scheduler", "jobs")] + dimensions).lastValue
  }

  private func total(_ label: String) -> Int64 {
    metrics.counterTotal(label: "timer_scheduler_" + label, dimensions: [("scheduler", "jobs")])
  }

  @Test func `What lives, and what was counted, is exported as of each update`() async throws {
    let clock = VirtualClock()
    let scheduler = TimerScheduler(clock: clock)
    let job = scheduler.schedule(.every(.seconds(1))) { _ in throw Failure() }
    scheduler.schedule(.every(.seconds(1)), name: "paused") { _ in }.pause()
    // The scheduler arms its wakeup, which then comes late.
    await clock.advance(by: .zero)
    await clock.stall(for: .milliseconds(3500))
    exported.update(with: await scheduler.statistics)
    #expect(try gauge("active") == 1)
    #expect(try gauge("paused") == 1)
    #expect(try gauge("running") == 0)
    #expect(try gauge("lateness_seconds", [("quantile", "1")]) == 0.5)
    #expect(["ticks", "missed", "failures", "wakeups", "dropped_events"].map(total) == [1, 2, 1, 1, 0])
    job.cancel()
    await clock.advance(by: .seconds(1))
    exported.update(with: await scheduler.statistics)
    #expect(try gauge("active") == 0)
    #expect(total("ticks") == 1)
    await scheduler.cancelAll()
  }

  @Test func `A total never falls, and is never counted twice`() async {
    var statistics = await TimerScheduler(clock: VirtualClock()).statistics
    for ticks in [5, 3, 7, 7] {
      statistics.ticks = ticks
      exported.update(with: statistics)
    }
    #expect(total("ticks") == 7)
  }
}
