import Foundation
import PrometheusRegistry
import ServerApp
import Testing
import TimerScheduling
import TimerSchedulingTesting

@Suite struct MetricsTests {
  // seconds    0    5   10   15   20   25   30
  // deadlines  |    |    |    |    |    |    |
  // stall               [=============]
  // runs       x    x    x             x    x
  // failures        x                  x
  @Test func `A scrape is right to the count against what was run`() async throws {
    let bench = Bench(failing: [1, 3]) { options in
      options.refreshJitter = .zero
      options.sessionTimeout = .seconds(60)
    }
    try bench.app.scheduleJobs()
    for _ in 0..<7 { _ = bench.app.sessions.create(user: "ada") }
    await bench.clock.advance(by: .seconds(10))
    await bench.clock.stall(for: .milliseconds(14_500))
    await bench.clock.advance(by: .milliseconds(5_500))
    // At 0, 5 and 10, at 24.5 for 20, with 15 missed, at 25 and 30.
    #expect(bench.upstream.calls.count == 6)
    let metrics = try await bench.metrics()
    #expect(metrics["timer_ticks_total{timer=\"refresh\"}"] == 6)
    #expect(metrics["timer_missed_total{timer=\"refresh\"}"] == 1)
    #expect(metrics["timer_failures_total{timer=\"refresh\"}"] == 2)
    #expect(metrics["timer_lateness_seconds_bucket{timer=\"refresh\",le=\"0.1\"}"] == 5)
    #expect(metrics["timer_lateness_seconds_bucket{timer=\"refresh\",le=\"1\"}"] == 5)
    #expect(metrics["timer_lateness_seconds_bucket{timer=\"refresh\",le=\"+Inf\"}"] == 6)
    #expect(metrics["timer_lateness_seconds_count{timer=\"refresh\"}"] == 6)
    #expect(metrics["timer_lateness_seconds_sum{timer=\"refresh\"}"] == 4.5)
    #expect(metrics["timer_ticks_total{timer=\"flush\"}"] == 0)
    #expect(metrics["timer_scheduler_active{scheduler=\"jobs\"}"] == 3)
    #expect(metrics["timer_scheduler_ticks_total{scheduler=\"jobs\"}"] == 6)
    #expect(metrics["timer_scheduler_missed_total{scheduler=\"jobs\"}"] == 1)
    #expect(metrics["timer_scheduler_failures_total{scheduler=\"jobs\"}"] == 2)
    #expect(metrics["timer_scheduler_dropped_events_total{scheduler=\"jobs\"}"] == 0)
    #expect(metrics["timer_scheduler_active{scheduler=\"timeouts\"}"] == 7)
    #expect(metrics["sessions"] == 7)
  }

  @Test func `Expired sessions are counted, and make no series of their own`() async throws {
    let bench = Bench { $0.sessionTimeout = .seconds(60) }
    for _ in 0..<500 { _ = bench.app.sessions.create(user: "ada") }
    let before = try await bench.metrics()
    await bench.clock.advance(by: .seconds(63))
    let after = try await bench.metrics()
    #expect(before["timer_scheduler_active{scheduler=\"timeouts\"}"] == 500)
    #expect(after["timer_scheduler_active{scheduler=\"timeouts\"}"] == 0)
    #expect(after["timer_scheduler_ticks_total{scheduler=\"timeouts\"}"] == 500)
    #expect(after["sessions"] == 0)
    #expect(before.keys.sorted() == after.keys.sorted())
  }

  @Test func `The page says that it is Prometheus' text`() async throws {
    let response = try await Bench().respond(to: .get, "/metrics")
    #expect(response.status == .ok)
    #expect(response.headers[.contentType] == PrometheusRegistry.contentType)
  }

  @Test func `Each metric has a description`() async throws {
    let bench = Bench { $0.refreshJitter = .zero }
    try bench.app.scheduleJobs()
    await bench.clock.advance(by: .seconds(5))
    _ = try await bench.respond(to: .post, "/timers/jobs/0/explode")
    let lines = String(buffer: try await bench.respond(to: .get, "/metrics").body).split(separator: "\n")
    func names(after prefix: String) -> [Substring] {
      lines.filter { $0.hasPrefix(prefix) }.map { $0.dropFirst(prefix.count).prefix { $0 != " " } }
    }
    #expect(names(after: "# TYPE ").contains("timer_run_seconds"))
    #expect(names(after: "# TYPE ").contains("timer_page_refusals_total"))
    #expect(names(after: "# HELP ") == names(after: "# TYPE "))
  }
}
