import Dispatch
import Foundation
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

  @Test func `The threads of the process are exported once`() async throws {
    let (threads, isBlocked) = (ThreadMetrics(factory: metrics), DispatchSemaphore(value: 0))
    let count = 2 * ProcessInfo.processInfo.activeProcessorCount
    // Each of two schedulers blocks as many threads as there are processors.
    for scheduler in [TimerScheduler(), TimerScheduler()] {
      for _ in 0..<count / 2 { scheduler.schedule(.after(.zero)) { _ in wait(for: isBlocked) } }
    }
    defer { for _ in 0..<count { isBlocked.signal() } }
    let blocked = try metrics.expectMeter("timer_threads_blocked", [])
    repeat {
      try await Task.sleep(for: .milliseconds(1))
      threads.update()
    } while (blocked.lastValue ?? 0) < Double(count - 1)
    #expect(try metrics.expectMeter("timer_threads_waiting_runs", []).lastValue != nil)
    #expect(metrics.meters.count { $0.label.hasPrefix("timer_threads") } == 2)
  }

  @Test func `A total never falls, and is never counted twice`() async {
    var statistics = await TimerScheduler(clock: VirtualClock()).statistics
    for ticks in [5, 3, 7, 7] {
      statistics.tickCount = ticks
      exported.update(with: statistics)
    }
    #expect(total("ticks") == 7)
  }
}

private func wait(for semaphore: DispatchSemaphore) { semaphore.wait() }
