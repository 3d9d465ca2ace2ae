import Foundation
import Hummingbird
import HummingbirdTesting
import MetricsTestKit
import Testing
import TimerOperatorPage
import TimerScheduling
import TimerSchedulingTesting

/// The page of what the schedulers themselves do.
@Suite(.timeLimit(.minutes(30))) struct SchedulersTests {
  private let fixture = Fixture()

  private func text(of schedulers: [ShownScheduler]) async throws -> String {
    let page = OperatorPage(
      schedulers: schedulers, access: .open, metrics: TestMetrics(),
      pacer: TimerScheduler(clock: fixture.clock)
    ) { .zero }
    let router = Router()
    page.addRoutes(to: router)
    return try await Application(router: router).test(.router) { client async throws in
      try await client.page("/schedulers").text
    }
  }

  private func row(_ title: String, _ value: String) -> String {
    "<tr><th scope=\"row\">\(title)</th><td class=\"number\">\(value)</td></tr>"
  }

  // seconds     0    1    2    3    3.5
  // deadlines        |    |    |
  // stall       [==================]
  // ticks                          x
  @Test func `It shows the statistics, and the latenesses of ticks as a histogram`() async throws {
    await fixture.clock.stall(for: .milliseconds(3_500))
    await fixture.clock.advance(by: .seconds(10))
    let text = try await text(of: [
      ShownScheduler(fixture.scheduler, name: "jobs", history: fixture.history)
    ])
    let statistics = await fixture.scheduler.statistics
    #expect(statistics.wakeupCount > 0 && statistics.tickCount == 11 && statistics.missedCount == 2)
    for (title, value) in [
      ("Active timers", "1"), ("Ticks", "11"), ("Wakeups", "\(statistics.wakeupCount)"),
      ("Wakeups for 100 ticks", "\(100 * statistics.wakeupCount / 11)"), ("Missed deadlines", "2"),
      ("Dropped events", "0"), ("Greatest lateness", "500 ms"),
    ] {
      #expect(text.contains(row(title, value)), "\(title)")
    }
    #expect(text.contains("<p>Lateness includes the tolerances of schedules"))
    // Tests beside this one may use the process's threads.
    #expect(text.contains(/runs? waits? for a thread, and/))
    #expect(text.contains("<h3>Lateness of 11 ticks</h3>"))
    #expect(text.contains("<th scope=\"row\">up to 10 µs</th><td class=\"number\">10</td>"))
    #expect(text.contains("<th scope=\"row\">up to 1.0 s</th><td class=\"number\">1</td>"))
    #expect(!text.contains("up to 3.0 s"))
    #expect(!text.contains("too slow"))
    #expect(text.components(separatedBy: "<script").count == 2 && !text.contains(" style="))
  }

  @Test func `The ten slowest actions of the last hour are named, the slowest first`() async throws {
    let clock = VirtualClock(date: Date())
    let history = TimerHistory()
    let scheduler = TimerScheduler(clock: clock)
    let timers = (1...12).map { scheduler.schedule(.every(.seconds(3_600)), name: "<job \($0)>") { _ in } }
    for (index, timer) in timers.enumerated() {
      for duration in [Duration.seconds(index + 1), .milliseconds(5)] {
        history.note(PastRun(for: tick(at: clock.date), duration: duration, outcome: .ended), of: timer.id)
      }
    }
    // Two hours ago.
    let old = PastRun(for: tick(at: clock.date - 7_200), duration: .seconds(100), outcome: .ended)
    history.note(old, of: timers[0].id)
    timers[11].cancel()
    let text = try await text(of: [ShownScheduler(scheduler, name: "jobs", history: history)])
    let actions = try #require(text.components(separatedBy: "The slowest actions of the last hour").last)
    let names = actions.components(separatedBy: "<th scope=\"row\">").dropFirst()
    #expect(names.count == SlowAction.countLimit)
    #expect(names.first?.hasPrefix("#\(timers[11].id) <small>finished</small>") == true)
    let second = try #require(names.dropFirst().first)
    #expect(second.contains("<bdi>&lt;job 11&gt;</bdi>"))
    let id = timers[10].id
    #expect(second.contains("href=\"../timers?scheduler=jobs&amp;q=%23\(id)&amp;open=jobs/\(id)\""))
    #expect(second.contains("<td class=\"number\">11.0 s</td>") && second.contains(">5.0 ms<"))
    #expect(!actions.contains("100.0 s") && !actions.contains("job 2&"))
  }

  private func tick(at date: Date) -> TimerTick {
    TimerTick(date: date, scheduledDate: date, index: 0, missedCount: 0, lateness: .zero)
  }

  @Test func `Dropped events are said, and a scheduler needs no history for its statistics`() async throws {
    let text = try await text(of: [ShownScheduler(TimerScheduler(clock: fixture.clock), name: "sessions")])
    #expect(text.contains("<h2>sessions</h2>"))
    #expect(text.contains("The scheduler has no history"))
    #expect(!text.contains("slowest"))
    #expect(text.contains(row("Wakeups for 100 ticks", "–")))

    var statistics = await fixture.scheduler.statistics
    statistics.droppedEventCount = 1_234
    let report = SchedulerReport(name: "jobs", statistics: statistics, latenesses: nil, slowest: [])
    let view = SchedulersView(reports: [report], links: PageLinks(.schedulers), load: (1, 2)).html.text
    #expect(view.contains("1 run waits for a thread, and 2 are blocked."))
    #expect(view.contains("An observer was too slow for 1,234 events"))
    let idle = SchedulersView(reports: [report], links: PageLinks(.schedulers), load: (0, 0)).html.text
    #expect(idle.contains("No run waits for a thread, and no action blocks one."))
  }

  @Test func `Each lateness is in one range`() {
    var counts = LatenessCounts()
    #expect(counts.usedRanges.isEmpty)
    for lateness: Duration in [
      .zero, .microseconds(10), .nanoseconds(10_001), .milliseconds(1), .seconds(10), .seconds(11),
      .seconds(-1),
    ] {
      counts.note(lateness)
    }
    #expect(counts.counts == [3, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 1])
    #expect(counts.total == 7)
    #expect(counts.usedRanges == 0..<14)
    #expect(LatenessCounts.title(of: 13) == "more than 10.0 s")
  }
}
