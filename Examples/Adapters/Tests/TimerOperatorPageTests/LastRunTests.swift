import Foundation
import HummingbirdTesting
import Testing
import TimerOperatorPage
import TimerScheduling
import TimerSchedulingTesting

/// The columns of the last run and of the schedule.
@Suite(.timeLimit(.minutes(30))) struct LastRunTests {
  private struct Failure: Error {}

  private let fixture = Fixture()

  private func row(_ name: String, of page: OperatorPage? = nil) async throws -> TimerRow {
    let report = await (page ?? fixture.page).feed.report(for: TimerQuery())
    return try #require(report.rows.first { $0.name == name })
  }

  @Test func `A row says when the last run was, how it ended and how long it took`() async throws {
    fixture.scheduler.schedule(.every(.seconds(10)), name: "upload") { tick in
      if tick.index == 1 { throw Failure() }
    }
    let before = try await row("upload")
    #expect(before.last == nil && before.lastDate == nil && !before.hasLastFailed)
    await fixture.clock.advance(by: .seconds(10))
    let first = try await row("upload")
    #expect(first.last?.hasPrefix("ended in ") == true && first.lastDate == "2001-01-01T00:00:10Z")
    #expect(!first.hasLastFailed && !before.looksLike(first))
    await fixture.clock.advance(by: .seconds(10))
    let second = try await row("upload")
    #expect(second.last?.hasPrefix("failed after ") == true && second.lastDate == "2001-01-01T00:00:20Z")
    #expect(second.hasLastFailed)
    try await fixture.app.test(.router) { client async throws in
      let text = try await client.page().text
      #expect(text.contains("<td role=\"cell\" data-cell=\"last\" data-failed=\"true\"><span>failed after "))
      #expect(text.contains("<time datetime=\"2001-01-01T00:00:20Z\">"))
      #expect(text.contains("<th role=\"columnheader\" scope=\"col\">Last run</th>"))
    }
  }

  @Test func `A run that goes on isn't the last one, and a cancelled one says so`() async throws {
    let (scheduler, clock) = (fixture.scheduler, fixture.clock)
    let timer = scheduler.schedule(.every(.seconds(10)), name: "slow") { _ in
      try await scheduler.sleep(for: .seconds(100))
    }
    await clock.advance(by: .seconds(15))
    #expect(try await row("slow").last == nil)
    timer.cancel()
    await clock.advance(by: .zero)
    // The timer is no row any more, and the history still has its run.
    #expect(fixture.history.past(of: timer.id)?.runs.map(\.outcome) == [.cancelled])
  }

  @Test func `Without a history no run is known`() async throws {
    let other = TimerScheduler(clock: fixture.clock)
    other.schedule(.every(.seconds(1)), name: "plain") { _ in }
    let page = Fixture(others: [ShownScheduler(other, name: "others")]).page
    await fixture.clock.advance(by: .seconds(3))
    let row = try await row("plain", of: page)
    #expect(row.last == nil && row.ticks == "3")
  }

  @Test(
    arguments: [
      (.after(.seconds(1_800)), "once, after 30 m"),
      (.after(.seconds(1_800)).tolerance(.seconds(90)), "once, after 30 m, tolerance 90 s"),
      (.at(Date(timeIntervalSinceReferenceDate: 60)), "once, at 2001-01-01T00:01:00Z"),
      (.every(.seconds(5)), "every 5 s"),
    ] as [(TimerSchedule, String)])
  func `The schedule of a single tick says once, and after which delay or when`(
    schedule: TimerSchedule, text: String
  ) async throws {
    fixture.scheduler.schedule(schedule, name: "single") { _ in }
    #expect(try await row("single").schedule == text)
  }
}
