import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingCalendar
import TimerSchedulingTesting

/// A wall clock that is set loses no date of any timer that follows it.
@Suite(.limited, .guarantee("G19")) struct SetClockTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    var schedule: @Sendable () throws -> TimerSchedule
    var start: String
    var setTo: String
    var expected: [String]
    /// Ticks before the clock is set.
    var wait = 0.0

    static func rule(_ cron: String) -> @Sendable () throws -> TimerSchedule {
      { .rule(try CronRule(cron, timeZone: .gmt)) }
    }

    static let hourly = ["0 * * * *"].map { rule($0) } + [{ .every(3600, starting: .aligned) }]

    static let all =
      hourly.flatMap { hourly in
        [
          Case(
            testDescription: "40 s across the hour", schedule: hourly, start: "2026-11-29T15:00:20",
            setTo: "2026-11-29T14:59:40", expected: ["2026-11-29T15:00:00", "2026-11-29T16:00:00"]),
          Case(
            testDescription: "20 min across the hour", schedule: hourly, start: "2026-11-29T15:10:00",
            setTo: "2026-11-29T14:50:00", expected: ["2026-11-29T15:00:00", "2026-11-29T16:00:00"]),
          Case(
            testDescription: "5 h", schedule: hourly, start: "2026-11-29T15:30:00",
            setTo: "2026-11-29T10:30:00",
            expected: ["2026-11-29T11:00:00", "2026-11-29T12:00:00"]),
          Case(
            testDescription: "4 h 30", schedule: hourly, start: "2026-11-29T15:00:10",
            setTo: "2026-11-29T10:30:10", expected: ["2026-11-29T11:00:00", "2026-11-29T12:00:00"]),
          Case(
            testDescription: "40 s right after a tick", schedule: hourly, start: "2026-11-29T14:59:50",
            setTo: "2026-11-29T14:59:30", expected: ["2026-11-29T15:00:00", "2026-11-29T16:00:00"], wait: 20),
        ]
      } + [
        Case(
          testDescription: "a start at a date, 5 h",
          schedule: { .every(3600, starting: .at(date("2026-11-01T00:00:00"))) },
          start: "2026-11-29T15:30:00",
          setTo: "2026-11-29T10:30:00",
          expected: ["2026-11-29T15:00:00", "2026-11-29T11:00:00", "2026-11-29T12:00:00"]),
        Case(
          testDescription: "daily, 1 h", schedule: rule("30 2 * * *"), start: "2026-11-29T03:00:00",
          setTo: "2026-11-29T02:00:00", expected: ["2026-11-29T02:30:00", "2026-11-30T02:30:00"]),
        Case(
          testDescription: "daily, 8 h", schedule: rule("30 2 * * *"), start: "2026-11-29T08:00:00",
          setTo: "2026-11-29T00:00:00", expected: ["2026-11-29T02:30:00", "2026-11-30T02:30:00"]),
        Case(
          testDescription: "daily, 24 h", schedule: rule("30 2 * * *"), start: "2026-11-29T02:00:00",
          setTo: "2026-11-28T02:00:00", expected: ["2026-11-28T02:30:00", "2026-11-29T02:30:00"]),
        Case(
          testDescription: "weekly, 3 d", schedule: rule("0 9 * * MON"), start: "2026-12-02T00:00:00",
          setTo: "2026-11-29T00:00:00", expected: ["2026-11-30T09:00:00", "2026-12-07T09:00:00"]),
        Case(
          testDescription: "monthly, 2 d", schedule: rule("0 0 1 * *"), start: "2026-12-02T00:00:00",
          setTo: "2026-11-30T00:00:00", expected: ["2026-12-01T00:00:00", "2027-01-01T00:00:00"]),
        Case(
          testDescription: "yearly, a year", schedule: rule("0 0 1 1 *"), start: "2027-11-29T00:00:00",
          setTo: "2026-11-29T00:00:00", expected: ["2027-01-01T00:00:00", "2028-01-01T00:00:00"]),
        Case(
          testDescription: "a date", schedule: { .at(date("2026-11-29T16:00:00")) },
          start: "2026-11-29T15:30:00",
          setTo: "2026-11-29T10:30:00", expected: ["2026-11-29T16:00:00"]),
      ]
  }

  enum Consumer: CaseIterable { case action, loop, paused, busy }

  // FAULTS F1: nothing is lost, whatever the timer does when the clock is set, and `nextDate` is right at
  // once.
  @Test(arguments: Case.all, Consumer.allCases)
  func `Each date after the moment at which the clock was set back comes`(of test: Case, by kind: Consumer)
    async throws
  {
    let clock = VirtualClock(date: date(test.start))
    let scheduler = TimerScheduler(clock: clock, configuration: .silent)
    let ticks = Journal<TimerTick>()
    let isSet = Box<Bool>()
    let schedule = try test.schedule()
    let timer: ScheduledTimer
    switch kind {
    case .action, .paused:
      timer = scheduler.schedule(schedule) { ticks.note($0) }
    case .busy:
      timer = scheduler.schedule(schedule) { tick in
        ticks.note(tick)
        // Is busy while the clock is set.
        if isSet.value == nil { try? await clock.sleep(for: .seconds(1)) }
      }
    case .loop:
      timer = scheduler.timer(on: schedule)
      clock.addTask { for await tick in timer.firings { ticks.note(tick) } }
    }
    await clock.advance(by: .seconds(test.wait))
    await clock.setWallClock(to: date(test.setTo))
    isSet.value = true
    if kind == .paused {
      timer.pause()
      await clock.advance(by: .zero)
      timer.resume()
    }
    await clock.advance(by: .milliseconds(1))
    let served = ticks.entries.last?.scheduledDate
    let next = test.expected.map { date($0) }.first { $0 > clock.date && $0 != served }
    if kind != .busy { #expect(timer.nextDate == next) }
    for _ in 0..<3 where ticks.entries.count < test.expected.count {
      await clock.advance(by: .seconds(timer.remainingTime.map { $0.components.seconds + 1 } ?? 0))
    }
    #expect(
      ticks.entries.map(\.scheduledDate).prefix(test.expected.count) == test.expected.map { date($0) }[...])
    #expect(ticks.entries.allSatisfy { $0.missedCount == 0 })
    timer.cancel()
  }

  // FAULTS F10
  enum Pause: CaseIterable { case keepingRemainingTime, keepingPhase, immediately, scope, all }

  @Test(.guarantee("G31"), arguments: Pause.allCases, ["2026-11-29T10:00:30", "2027-11-29T05:00:30"])
  func `A rule's timer that is paused right after the clock was set back goes on by the new time`(
    pause: Pause, setTo: String
  ) async throws {
    let clock = VirtualClock(date: date("2027-11-29T10:00:30"))
    let scheduler = TimerScheduler(clock: clock, configuration: .silent)
    let ticks = Journal<TimerTick>()
    let timer = scheduler.schedule(.rule(try CronRule("0 * * * *", timeZone: .gmt))) { ticks.note($0) }
    await clock.setWallClock(to: date(setTo))
    switch pause {
    case .scope:
      await timer.withPaused { await clock.advance(by: 60) }
    case .all:
      await scheduler.pauseAll()
      await clock.advance(by: 60)
      await scheduler.resumeAll()
    case .keepingRemainingTime, .keepingPhase, .immediately:
      timer.pause()
      await clock.advance(by: 60)
      timer.resume(
        pause == .keepingPhase ? .keepingPhase : pause == .immediately ? .immediately : .keepingRemainingTime)
    }
    await clock.advance(by: .seconds(30 * 3600))
    let byHand = pause == .immediately ? 1 : 0
    let first = date(setTo) - 30 + 3600
    #expect(
      ticks.entries.dropFirst(byHand).map(\.scheduledDate) == (0..<30).map { first + 3600 * Double($0) })
  }

  // The scheduler isn't told that this clock was set, so it looks when it next reads the clock.
  @Test func `Dates between the change and its discovery come late, and the others are counted`() async {
    let clock = InterruptedClock()
    let scheduler = clock.makeScheduler()
    let ticks = Journal<TimerTick>()
    let start = clock.manual.date
    scheduler.schedule(.every(600, starting: .aligned)) { ticks.note($0) }
    await scheduler.waitForQueue()
    await clock.manual.advance(by: .seconds(10))
    await clock.manual.setWallClock(by: .seconds(-1205))
    await clock.manual.advance(by: .seconds(2000))
    await scheduler.waitUntilActionsHaveEnded()
    // The scheduler looks at 600 s, where the clock shows -605 s. By then -1200 s of the new time have
    // passed. A tick that is taken late stands for those before.
    #expect(ticks.entries.last.map { $0.scheduledDate == start + 600 } == true)
    #expect(ticks.entries.reduce(0) { $0 + 1 + $1.missedCount } == 4)
  }

  // FAULTS F10: the scheduler isn't told that this clock was set, and hasn't looked when the timer is paused.
  @Test(.guarantee("G31"))
  func `A rule's timer that is paused before the change of the clock is seen goes on by the new time`()
    async throws
  {
    let clock = InterruptedClock()
    let scheduler = clock.makeScheduler()
    let ticks = Journal<TimerTick>()
    let start = clock.manual.date
    let timer = scheduler.schedule(.rule(try CronRule("0 * * * *", timeZone: .gmt))) { ticks.note($0) }
    await scheduler.waitForQueue()
    await clock.manual.setWallClock(by: .seconds(-5.5 * 3600))
    timer.pause()
    await clock.manual.advance(by: .seconds(60))
    timer.resume()
    for _ in 0..<3 {
      await scheduler.waitUntilActionsHaveEnded()
      await scheduler.waitForQueue()
      await clock.manual.advance(by: .seconds(3600))
    }
    await scheduler.waitForQueue()
    await scheduler.waitUntilActionsHaveEnded()
    #expect(ticks.entries.map(\.scheduledDate) == [-5, -4, -3].map { start + 3600 * $0 })
    timer.cancel()
  }

  // Found by random scenarios: the clock was ahead of the timer's last date when the timer fired.
  @Test func `A tick keeps its firing's date though the clock was set back from beyond the last date`() async
  {
    let clock = VirtualClock(date: date("2026-11-29T10:00:00"))
    let scheduler = TimerScheduler(clock: clock, configuration: .silent)
    let ticks = Journal<TimerTick>()
    let rule = TimerSchedule.rule(EverySeconds(60)).until(clock.date + 600)
    let timer = scheduler.schedule(rule) { tick in
      ticks.note(tick)
      if tick.index == 0 { try await clock.sleep(for: .seconds(90)) }
    }
    await clock.advance(by: .seconds(60))
    // Fires for the second minute.
    await clock.setWallClock(to: clock.date + 1000)
    let fired = clock.date
    await clock.setWallClock(to: clock.date - 100)
    await clock.advance(by: .seconds(100))
    #expect(ticks.entries.last?.date == fired)
    timer.cancel()
  }

  // FAULTS F11
  @Test func `A countdown whose last deadline passes in a refused extension ends`() async {
    let clock = VirtualClock()
    let scheduler = TimerScheduler(clock: clock, configuration: .silent)
    let countdown = scheduler.countdown(until: clock.date + 579.4)
    let values = Journal<Duration>()
    clock.addTask {
      for await value in countdown.values { values.note(value) }
      values.note(.seconds(-1))
    }
    await clock.advance(by: 250.4)
    countdown.pause()
    await clock.advance(by: 197.7)
    await clock.setWallClock(to: clock.date + 300)
    await clock.setWallClock(to: clock.date - 30)
    await clock.advance(by: 176.2)
    await clock.setWallClock(to: clock.date - 300)
    countdown.resume()
    countdown.extend(by: .seconds(10))
    await clock.advance(by: 20_000)
    #expect(countdown.timer.state == .finished(.completed))
    #expect(values.entries.suffix(2) == [.zero, .seconds(-1)])
  }

  // FAULTS F12
  @Test func `A timer on an interval ends once the clock is set beyond its last date`() async {
    let clock = VirtualClock()
    let scheduler = TimerScheduler(clock: clock, configuration: .silent)
    let timer = scheduler.schedule(.every(86_400).until(clock.date + 100_000)) { _ in }
    #expect(timer.nextDate == timer.nextDates(1).first)
    await clock.setWallClock(to: clock.date + 200_000)
    #expect(timer.nextDate == nil)
    #expect(timer.nextDates(3).isEmpty)
    #expect(timer.state == .finished(.completed))
    await timer.waitUntilFinished()
  }
}

private func date(_ text: String) -> Date {
  (try? Date(text + "Z", strategy: .iso8601)) ?? .distantPast
}
