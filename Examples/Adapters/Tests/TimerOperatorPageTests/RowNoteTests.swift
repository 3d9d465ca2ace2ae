import Foundation
import HummingbirdTesting
import Testing
import TimerOperatorPage
import TimerScheduling
import TimerSchedulingCalendar
import TimerSchedulingTesting

/// Timers whose runs go on for too long, or fail.
@Suite(.timeLimit(.minutes(30))) struct RowNoteTests {
  private struct Failure: Error {}

  private let fixture = Fixture()

  private func row(_ name: String) async -> TimerRow? {
    await fixture.page.feed.report(for: TimerQuery()).rows.first { $0.name == name }
  }

  // seconds    0    2    4    6    8
  // run             [=============…
  @Test func `A run says since when it goes on, and is marked once it is longer than the interval`()
    async throws
  {
    let (scheduler, clock) = (fixture.scheduler, fixture.clock)
    let timer = scheduler.schedule(.every(.seconds(2)), name: "hung") { _ in
      try await scheduler.sleep(for: .seconds(100))
    }
    #expect(await row("hung")?.note == nil)
    await clock.advance(by: .seconds(2))
    let running = try #require(await row("hung"))
    #expect(running.state == "running" && running.note == "since" && running.mark == nil)
    #expect(running.noteDate == "2001-01-01T00:00:02Z")
    await clock.advance(by: .seconds(2))
    #expect(await row("hung")?.mark == nil)
    #expect(await row("hung")?.missed == "0")

    await clock.advance(by: .milliseconds(4_500))
    let late = try #require(await row("hung"))
    #expect(late.mark == .late && late.note == "too long, since" && late.noteDate == running.noteDate)
    // The tick of the newest of 4, 6 and 8 s is yet to come.
    #expect(late.missed == "2")
    try await fixture.app.test(.router) { client async throws in
      let text = try await client.page().text
      #expect(text.contains("data-state=\"running\" data-mark=\"late\""))
      #expect(text.contains("<small>too long, since <time datetime=\"2001-01-01T00:00:02Z\">"))
    }
    #expect(!running.looksLike(late))
    timer.pause()
    #expect(await row("hung")?.note == "run too long, since")
  }

  @Test func `A timer whose last run has failed is marked until one ends well`() async throws {
    fixture.scheduler.schedule(.every(.seconds(1)), name: "upload") { tick in
      if tick.index == 1 { throw Failure() }
    }
    for (mark, note) in [(nil, nil), (RowNote.Mark.failed, "last run failed"), (nil, nil)] {
      await fixture.clock.advance(by: .seconds(1))
      let row = try #require(await row("upload"))
      #expect(row.mark == mark && row.note == note)
      let isShown = try await fixture.app.test(.router) {
        try await $0.page().text.contains("data-mark=\"failed\"")
      }
      #expect(isShown == (mark != nil))
    }
  }

  // MARK: Without a history

  @Test func `Without a history a run goes on since a look has seen it, and any failure counts`() async throws
  {
    let clock = VirtualClock()
    let other = TimerScheduler(clock: clock)
    // The look is at a date of real time, after which the run isn't too long for an hour.
    let hung = other.schedule(.every(.seconds(3_600)), name: "hung") { _ in
      try await other.sleep(for: .seconds(100))
    }
    hung.fire()
    other.schedule(.every(.seconds(1)), name: "upload") { tick in if tick.index == 0 { throw Failure() } }
    let page = Fixture(others: [ShownScheduler(other, name: "others")]).page
    await clock.advance(by: .seconds(3))
    func row(_ name: String) async -> TimerRow? {
      await page.feed.report(for: TimerQuery()).rows.first { $0.name == name }
    }
    let first = try #require(await row("hung"))
    #expect(first.note == "seen since" && first.noteDate != nil)
    let upload = try #require(await row("upload"))
    #expect(upload.mark == .failed && upload.note == "has failed")
  }

  @Test func `A run is seen since the first look, until the timer ticks again`() async throws {
    let clock = VirtualClock()
    let scheduler = TimerScheduler(clock: clock)
    let timer = scheduler.schedule(.every(.seconds(10))) { _ in try await scheduler.sleep(for: .seconds(5)) }
    var watch = RunWatch()
    let start = clock.date
    func look(after seconds: Double) async -> Double? {
      await clock.advance(by: .seconds(seconds))
      watch.note([await scheduler.snapshots], at: clock.date)
      return watch.since(timer.id, in: 0).map { $0.timeIntervalSince(start) }
    }
    #expect(await look(after: 5) == nil)
    #expect(await look(after: 6) == 11)
    #expect(await look(after: 2) == 11)
    watch.note([nil], at: clock.date)
    #expect(watch.since(timer.id, in: 0) == start + 11)
    #expect(await look(after: 4) == nil)
    #expect(await look(after: 4) == 21)
  }

  // MARK: Rules

  @Test(
    arguments: [
      (9.9, 1.0, nil), (10.1, 1.0, RowNote.Mark.late), (0.9, 0.001, nil), (1.1, 0.001, .late),
      (1e6, nil, nil),
    ] as [(Double, Double?, RowNote.Mark?)])
  func `A run is marked once it is longer than ten times the usual time, and than a second`(
    time: Double, usual: Double?, mark: RowNote.Mark?
  ) async throws {
    let clock = VirtualClock()
    let scheduler = TimerScheduler(clock: clock)
    scheduler.schedule(.after(.seconds(1))) { _ in try await scheduler.sleep(for: .seconds(100)) }
    await clock.advance(by: .seconds(1))
    let snapshot = try #require(await scheduler.snapshots.first { $0.isRunning })
    let runs = RunSummary(
      since: clock.date, now: clock.date + time, usualTime: usual.map { .seconds($0) }, hasLastFailed: false)
    #expect(RowNote(snapshot, runs: runs, seen: nil, pause: nil).mark == mark)
    #expect(RowNote(snapshot, runs: runs, seen: nil, pause: nil).date == clock.date)
  }

  @Test func `The next date of a schedule is read from its text`() throws {
    let date = Date(timeIntervalSinceReferenceDate: 0)
    func gap(_ schedule: TimerSchedule) -> Double? {
      ScheduleGap.next(of: schedule, after: date)?.timeIntervalSince(date)
    }
    #expect(gap(.every(.seconds(300)).tolerance(.seconds(1))) == 300)
    #expect(gap(.every(.milliseconds(250))) == 0.25)
    #expect(gap(.every(.seconds(86_400), starting: .aligned)) == 86_400)
    let utc = try #require(TimeZone(identifier: "UTC"))
    #expect(gap(.rule(try CronRule("30 9 * * *", timeZone: utc)).jitter(upTo: .seconds(1))) == 34_200)
    let tokyo = try #require(TimeZone(identifier: "Asia/Tokyo"))
    #expect(gap(.rule(try CronRule("@daily", timeZone: tokyo))) == 54_000)
    #expect(gap(.after(.seconds(5))) == nil)
  }
}
