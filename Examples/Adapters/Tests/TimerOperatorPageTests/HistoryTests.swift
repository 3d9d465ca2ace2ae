import Foundation
import HummingbirdTesting
import Testing
import TimerOperatorPage
import TimerScheduling
import TimerSchedulingTesting

@Suite(.timeLimit(.minutes(30))) struct HistoryTests {
  private struct Failure: Error, CustomStringConvertible {
    var description: String { "no <disk> left" }
  }

  private let fixture = Fixture()

  @Test func `The last runs of a timer are kept, with their errors`() async throws {
    let timer = fixture.scheduler.schedule(.every(.seconds(1)), name: "upload") { tick in
      if tick.index == 11 { throw Failure() }
    }
    await fixture.clock.advance(by: .seconds(12))
    let past = try #require(fixture.history.past(of: timer.id))
    #expect(past.runs.count == TimerPast.runLimit)
    #expect(past.runs.first?.outcome == .failed("no <disk> left"))
    #expect(past.runs.dropFirst().allSatisfy { $0.outcome == .ended })
    #expect(past.runs.first?.date == fixture.clock.date)
    #expect(past.runs.map(\.date) == past.runs.map(\.date).sorted(by: >))
  }

  @Test func `A run that was cancelled hasn't failed`() async throws {
    let scheduler = fixture.scheduler
    let (begins, begin) = AsyncStream<Void>.makeStream()
    let sleeper = TimerScheduler(clock: fixture.clock)
    let timer = scheduler.schedule(.every(.seconds(1)), name: "upload") { tick in
      if tick.index == 0 { throw Failure() }
      begin.yield()
      try await sleeper.sleep(for: .seconds(3_600))
    }
    await fixture.clock.advance(by: .seconds(2))
    for await _ in begins { break }
    timer.cancel()
    await scheduler.shutdownAndWait()
    let past = try #require(fixture.history.past(of: timer.id))
    #expect(past.runs.map(\.outcome) == [.cancelled, .failed("no <disk> left")])
    // A cancelled run doesn't say whether the next one ends well.
    #expect(fixture.history.runs(of: timer.id).hasLastFailed == true)
  }

  @Test func `A cancellation that the run's task has nothing to do with is a failure`() async throws {
    let timer = fixture.scheduler.schedule(.every(.seconds(1))) { _ in throw CancellationError() }
    await fixture.clock.advance(by: .seconds(1))
    let run = try #require(fixture.history.past(of: timer.id)?.runs.first)
    #expect(run.outcome == .failed("CancellationError()"))
  }

  @Test func `Details say that a run was cancelled, and the row isn't marked`() async throws {
    let (timer, date) = (fixture.timer, fixture.clock.date)
    let tick = TimerTick(date: date, scheduledDate: date, index: 0, missedCount: 0, lateness: .zero)
    fixture.history.note(PastRun(for: tick, duration: .seconds(1), outcome: .cancelled), of: timer.id)
    #expect(fixture.history.runs(of: timer.id).hasLastFailed == nil)
    try await fixture.app.test(.router) { client async throws in
      let page = try await client.page("?open=jobs/\(timer.id)").text
      #expect(page.contains("<td data-failed=\"false\">Cancelled</td>"))
      #expect(!page.contains("data-mark"))
    }
  }

  @Test func `The text of an error is shown whole`() async throws {
    struct Long: Error, CustomStringConvertible {
      var description: String { String(repeating: "disk full; ", count: 500) + "the end" }
    }
    let timer = fixture.scheduler.schedule(.every(.seconds(1)), name: "upload") { _ in throw Long() }
    await fixture.clock.advance(by: .seconds(1))
    try await fixture.app.test(.router) { client async throws in
      let text = try await client.execute(uri: "/timers/jobs/\(timer.id)", method: .get).text
      #expect(text.contains("\(Long())"))
    }
  }

  @Test func `Details show the schedule, ten dates and the runs, as text`() async throws {
    let timer = fixture.scheduler.schedule(.every(.seconds(60)).limit(20), name: "upload") { _ in
      throw Failure()
    }
    await fixture.clock.advance(by: .seconds(60))
    try await fixture.app.test(.router) { client async throws in
      let uri = "/timers/jobs/\(timer.id)"
      let text = try await client.execute(uri: uri, method: .get).text
      #expect(text.contains("Every minute, for 20 ticks."))
      #expect(text.contains("<code>every 1 m, limit 20</code>"))
      #expect(text.components(separatedBy: "<li>").count - 1 == 10)
      #expect(text.contains("<time datetime=\"2001-01-01T00:02:00Z\">"))
      #expect(text.contains("class=\"error\">no &lt;disk&gt; left</td>"))
      #expect(!text.contains("<disk>"))

      let page = try await client.page("?open=jobs/\(timer.id)").text
      #expect(page.contains("aria-expanded=\"true\""))
      #expect(page.contains("Every minute, for 20 ticks."))
      #expect(try await client.execute(uri: "/timers/jobs/4711", method: .get).status == .notFound)
      #expect(try await client.execute(uri: "/timers/none/\(timer.id)", method: .get).status == .notFound)
    }
  }

  // minutes    0    1    2 … 59   60   61
  // ticks      x    x    x    x    x    x
  @Test func `A chart has the last 60 minutes`() {
    var series = MinuteSeries()
    for minute in 100...161 {
      series.note(lateness: .milliseconds(minute), at: minute)
      series.note(lateness: .milliseconds(1), at: minute)
    }
    series.note(runTime: .seconds(2), at: 161)
    let minutes = series.minutes(upTo: 161)
    #expect(minutes.count == 60)
    #expect(minutes.compactMap { $0?.number } == Array(102...161))
    #expect(minutes.last??.lateness == 0.161)
    #expect(minutes.last??.runTime == 2)
    #expect(minutes.last??.tickCount == 2)
    #expect(series.minutes(upTo: 191).compactMap { $0?.number } == Array(132...161))
    #expect(series.minutes(upTo: 300).allSatisfy { $0 == nil })
  }

  @Test func `As many timers are kept as the limit says, and those that have finished make room`()
    async throws
  {
    let (clock, history) = (fixture.clock, TimerHistory(timerLimit: 2))
    var configuration = TimerScheduler.Configuration()
    configuration.observer = history
    let scheduler = TimerScheduler(clock: clock, configuration: configuration)
    let timers = (0..<4).map { _ in scheduler.schedule(.every(.seconds(3600))) { _ in } }
    let tick = TimerTick(
      date: clock.date, scheduledDate: clock.date, index: 0, missedCount: 0, lateness: .zero)
    func kept() -> [Bool] { timers.map { history.past(of: $0.id) != nil } }
    // The clock waits until the observer has received the event.
    func fire(_ index: Int) async {
      timers[index].fire()
      await clock.advance(by: .zero)
    }
    func cancel(_ index: Int) async {
      timers[index].cancel()
      await clock.advance(by: .zero)
    }

    for index in 0...2 { await fire(index) }
    #expect(kept() == [true, true, false, false])
    await cancel(0)
    #expect(kept() == [true, true, false, false])
    await fire(2)
    #expect(kept() == [false, true, true, false])

    // A run that ends after its timer takes no place for good.
    await cancel(1)
    history.note(PastRun(for: tick, duration: .zero, outcome: .ended), of: timers[0].id)
    #expect(kept() == [true, false, true, false])
    await fire(3)
    #expect(kept() == [false, false, true, true])
    #expect(history.series.minutes(upTo: MinuteSeries.minute(of: tick.date)).last??.tickCount == 5)
  }

  @Test func `An observer and an interceptor that were there stay`() async {
    let events = EventCounter()
    var configuration = TimerScheduler.Configuration()
    configuration.observer = events
    configuration.interceptor = { _, body in
      events.noteRun()
      try await body()
    }
    configuration.record(in: fixture.history)
    let scheduler = TimerScheduler(clock: fixture.clock, configuration: configuration)
    let timer = scheduler.schedule(.every(.seconds(1))) { _ in }
    await fixture.clock.advance(by: .seconds(2))
    await scheduler.shutdownAndWait()
    #expect(events.runCount == 2)
    #expect(events.tickCount == 2)
    #expect(fixture.history.past(of: timer.id)?.runs.count == 2)
  }

  @Test(arguments: [
    ("every 5 m", "Every 5 minutes."),
    (
      "every 1 s, starting aligned, tolerance 50 ms",
      "Every second, at multiples of that on the wall clock, at most 50 milliseconds late."
    ),
    (
      "every 1 h, starting aligned offset 10 m",
      "Every hour, 10 minutes after multiples of that on the wall clock."
    ),
    (
      "every 24 h, starting aligned offset 44119285911 us",
      "Every 24 hours, 12 hours 15 minutes 19.285911 seconds after multiples of that on the wall clock."
    ),
    (
      "every 1 m, starting aligned offset 1500 us",
      "Every minute, 1500 microseconds after multiples of that on the wall clock."
    ),
    ("every 5 s, jitter 1 s, limit 3", "Every 5 seconds, up to 1 second later at random, for 3 ticks."),
    ("at 2026-11-22T09:00:00Z", "Once, at 2026-11-22T09:00:00Z."),
    ("cron 30 9 * * MON-FRI Europe/Berlin", "At 09:30, on Monday to Friday (Europe/Berlin)."),
    ("cron @hourly UTC", "Every hour, on the hour (UTC)."),
    ("cron */15 * * * * UTC", "Every 15 minutes (UTC)."),
    ("cron 0 8,20 1 * * UTC", "At 08:00 and 20:00, on day 1 of the month (UTC)."),
    ("cron 1-5 3 * * * UTC", "By the rule 1-5 3 * * * UTC."),
    ("cron 0 30 9 * * MON-FRI Europe/Berlin", "At 09:30, on Monday to Friday (Europe/Berlin)."),
    ("cron 10 30 9 * * * UTC", "By the rule 10 30 9 * * * UTC."),
    ("cron 30 9 LW * * UTC", "By the rule 30 9 LW * * UTC."),
    ("cron 30 9 * * FRI#2,5L UTC", "By the rule 30 9 * * FRI#2,5L UTC."),
    ("rule Tides()", "At the dates of the rule Tides()."),
  ])
  func `A schedule is said in words`(schedule: String, words: String) {
    #expect(ScheduleWords.text(for: schedule) == words)
  }
}
