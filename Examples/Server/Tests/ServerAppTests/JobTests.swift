import Foundation
import ServerApp
import Testing
import TimerScheduling
import TimerSchedulingTesting

@Suite struct JobTests {
  @Test func `The cache is refreshed at once and then on its grid, each time up to the jitter later`()
    async throws
  {
    let bench = Bench()
    try bench.app.scheduleJobs()
    await bench.clock.advance(by: .seconds(600) - .nanoseconds(1))
    let delays = bench.upstream.calls.enumerated().map { number, date in
      date.timeIntervalSinceReferenceDate - 5 * Double(number)
    }
    #expect(delays.count == 120)
    #expect(delays.allSatisfy { 0...1 ~= $0 })
    // Drawn anew each time.
    #expect(Set(delays).count > 100)
  }

  @Test func `A refresh that fails leaves the old value`() async throws {
    let bench = Bench(failing: [1]) { $0.refreshJitter = .zero }
    try bench.app.scheduleJobs()
    await bench.clock.advance(by: .seconds(5))
    #expect(bench.upstream.calls.count == 2)
    #expect(await bench.app.cache.entry == Cache.Entry(value: "answer 0", date: bench.upstream.calls[0]))
    await bench.clock.advance(by: .seconds(5))
    #expect(await bench.app.cache.entry?.value == "answer 2")
  }

  @Test func `Metrics that can't be written are written a little later`() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "metrics-\(UUID())")
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "metrics").path()
    let bench = Bench { $0.metricsFile = file }
    try bench.app.scheduleJobs()
    await bench.clock.advance(by: .seconds(60))
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    await bench.clock.advance(by: .seconds(3))
    #expect(FileManager.default.fileExists(atPath: file))
  }

  // A service that starts 17.5 seconds after a minute.
  @Test func `Metrics are written on the minute`() async throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "metrics-\(UUID())").path()
    defer { try? FileManager.default.removeItem(atPath: file) }
    let bench = Bench(date: Date(timeIntervalSinceReferenceDate: 17.5)) { $0.metricsFile = file }
    try bench.app.scheduleJobs()
    await bench.clock.advance(by: .milliseconds(42_499))
    #expect(!FileManager.default.fileExists(atPath: file))
    await bench.clock.advance(by: .milliseconds(1))
    let text = try String(contentsOfFile: file, encoding: .utf8)
    #expect(text.contains("timer_scheduler_active{scheduler=\"jobs\"} 3\n"))
    try FileManager.default.removeItem(atPath: file)
    await bench.clock.advance(by: .milliseconds(59_999))
    #expect(!FileManager.default.fileExists(atPath: file))
    await bench.clock.advance(by: .milliseconds(1))
    #expect(FileManager.default.fileExists(atPath: file))
  }

  @Test func `A flush that fails is counted, and the next one is made`() async throws {
    let bench = Bench { $0.metricsFile = "/nonexistent/metrics" }
    try bench.app.scheduleJobs()
    await bench.clock.advance(by: .seconds(150))
    let metrics = try await bench.metrics()
    #expect(metrics["timer_ticks_total{timer=\"flush\"}"] == 2)
    #expect(metrics["timer_failures_total{timer=\"flush\"}"] == 2)
  }

  @Test func `A report is made at the top of each hour, of what was since the last`() async throws {
    let bench = Bench(date: Date(timeIntervalSinceReferenceDate: 1_800)) {
      $0.sessionTimeout = .seconds(2_400)
    }
    try bench.app.scheduleJobs()
    _ = bench.app.sessions.create(user: "ada")
    await bench.clock.advance(by: .seconds(3_600))
    _ = bench.app.sessions.create(user: "grace")
    _ = bench.app.sessions.create(user: "edsger")
    await bench.clock.advance(by: .seconds(2 * 3_600))
    #expect(
      await bench.app.reports.reports == [
        Report(
          end: Date(timeIntervalSinceReferenceDate: 3_600), sessions: SessionCounts(created: 1, expired: 0)),
        Report(
          end: Date(timeIntervalSinceReferenceDate: 7_200), sessions: SessionCounts(created: 2, expired: 1)),
        Report(
          end: Date(timeIntervalSinceReferenceDate: 10_800), sessions: SessionCounts(created: 0, expired: 2)),
      ])
  }

  @Test func `The last reports are kept`() async throws {
    let bench = Bench()
    try bench.app.scheduleJobs()
    await bench.clock.advance(by: .seconds(100 * 3_600))
    let ends = await bench.app.reports.reports.map(\.end.timeIntervalSinceReferenceDate)
    #expect(ends == (77...100).map { Double($0) * 3_600 })
  }
}
