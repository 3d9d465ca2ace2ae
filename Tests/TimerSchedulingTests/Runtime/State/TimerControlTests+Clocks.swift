import Foundation
import Testing
import TimerScheduling

/// The clocks during a pause, and the values that a countdown shows.
extension TimerControlTests {
  @Test(arguments: [false, true])
  func `A rule is asked again where the clock was set back, also during a pause`(isPaused: Bool) {
    let bench = Workbench(.rule(EverySeconds(10)))
    #expect(bench.nextTick()?.row == Row(due: 10, index: 0))
    if isPaused { bench.pause(at: 14) }
    bench.setWallClock(by: -3600)
    bench.wallClockSetBack()
    if isPaused { bench.resume(at: 15) }
    #expect(bench.nextTick()?.row == Row(due: -3580, index: 1))
  }

  @Test func `A rule is asked again where the clock was set back while it was being asked`() {
    let bench = Workbench(.rule(EverySeconds(10)))
    let tellAnswer = bench.beginAsking(at: 10)
    bench.setWallClock(by: -3600)
    bench.wallClockSetBack()
    tellAnswer()
    #expect(bench.nextTick()?.row.index == 0)
    #expect(bench.nextTick()?.row == Row(due: -3580, index: 1))
  }

  @Test func `A clock set beyond the last date leaves nothing to fire`() {
    let bench = Workbench(.every(10).until(Workbench.date(25)))
    #expect(bench.nextTick()?.row == Row(due: 10, index: 0))
    bench.setWallClock(by: 3600)
    #expect(!bench.fire(awaited: true, at: 20))
    #expect(bench.finishReason == .completed)
  }

  @Test func `A wall clock that stands at its last moment isn't set back`() {
    let bench = Workbench(.rule(EverySeconds(10)))
    bench.now.wall = .never
    let before = bench.now
    bench.moveTime(by: .seconds(3600))
    #expect(bench.now.wallLead < before.wallLead)
    #expect(!bench.now.isSetBack(since: before))
  }

  @Test func `No listener waits at the end for a deadline beyond the last that can be counted`() {
    let schedule = TimerSchedule.every(.nanoseconds(1), starting: .immediately).limit(1)
    let bench = Workbench(schedule, at: ClockReading(monotonic: .past, wall: .past))
    bench.moveTime(by: Interval.max)
    bench.moveTime(by: Interval.max)
    #expect(bench.fire(awaited: true))
    #expect(bench.take()?.index == 0)
    #expect(bench.finishReason == .completed)
    #expect(!bench.mustWait)
  }

  @Test(
    arguments: [
      .every(.nanoseconds(1)), .every(.nanoseconds(1)).missedTicks(.burst), .every(.seconds(Int64.max)),
      .every(10).jitter(upTo: .seconds(Int64.max)), .counting(Int.max),
      .every(.nanoseconds(1), starting: .at(.distantPast)), .every(1, starting: .at(.distantFuture)),
      .every(.nanoseconds(1), starting: .aligned), .rule(EverySeconds(1e9)),
    ] as [TimerSchedule])
  func `Pauses of centuries don't stop the process`(schedule: TimerSchedule) {
    let behaviors: [ResumeBehavior] = [.keepingRemainingTime, .keepingPhase, .immediately]
    for behavior in behaviors {
      let bench = Workbench(schedule)
      for _ in 0..<4 {
        bench.pause()
        bench.moveTime(by: .seconds(5_000_000_000))
        bench.resume(behavior)
        #expect(bench.state == .scheduled)
        if behavior == .immediately { #expect(bench.take() != nil) }
        bench.fireByHand()
        #expect(bench.take() != nil)
      }
      bench.pause()
      bench.reschedule(.every(10))
      bench.resume()
      #expect(bench.state == .scheduled)
    }
  }

  @Test(arguments: [ResumeBehavior.keepingRemainingTime, .keepingPhase])
  func `A deadline that never comes doesn't come after a pause either`(behavior: ResumeBehavior) {
    let bench = Workbench(.after(.seconds(Int64.max)))
    for _ in 0..<4 {
      bench.pause()
      #expect(bench.remaining == .nanoseconds(Int64.max))
      bench.moveTime(by: .seconds(2_000_000_000))
      bench.resume(behavior)
      #expect(bench.state == .scheduled)
      #expect(bench.filing == nil)
      #expect(bench.take() == nil)
    }
  }

  @Test(
    arguments: [
      (MissedTickBehavior.skip, [Row(due: 30, index: 0, missed: 2)]),
      (.burst, [Row(due: 10, index: 0), Row(due: 20, at: 95, index: 1), Row(due: 30, at: 95, index: 2)]),
    ])
  func `Dates of a rule that were missed before the pause count`(
    behavior: MissedTickBehavior, expected: [Row]
  ) {
    let bench = Workbench(.rule(EverySeconds(10)).missedTicks(behavior))
    bench.fire(awaited: false, at: 10)
    bench.pause(at: 35)
    bench.resume(at: 95)
    for row in expected { #expect(bench.nextTick()?.row == row) }
    #expect(bench.nextTick()?.row == Row(due: 100, index: expected.count))
  }

  // The deadline passes in the pause, and comes again after the clock was set back.
  @Test func `A date that comes again is late from when it is due`() throws {
    let bench = Workbench(.at(Workbench.date(10)))
    bench.pause(at: 4)
    bench.resume(at: 40)
    bench.setWallClock(by: -38)
    bench.wallClockSetBack()
    #expect(bench.deadline == 10)
    bench.moveTime(by: .seconds(11))
    bench.fire(awaited: true)
    #expect(try #require(bench.take()).lateness == .seconds(3))
  }

  // The scheduler detects that the clock was set back when it processes the timer after the pause.
  @Test func `A clock that was set back during the pause makes no difference`() throws {
    let bench = Workbench(.at(Workbench.date(10)))
    bench.pause(at: 4)
    bench.setWallClock(by: -3)
    bench.resume(at: 40)
    bench.wallClockSetBack()
    bench.fire(awaited: true, at: 43)
    let tick = try #require(bench.take())
    #expect(tick.row == Row(due: 10, at: 40, index: 0))
    #expect(tick.lateness == .seconds(3))
  }

  @Test func `A paused countdown stands still, also when it is ended`() {
    let bench = Workbench(.counting(30))
    bench.moveTime(to: 3)
    #expect(bench.value == .seconds(27))
    bench.pause(at: 4)
    bench.moveTime(to: 15)
    #expect(bench.value == .seconds(26))
    bench.resume()
    bench.moveTime(to: 16)
    #expect(bench.value == .seconds(25))
    bench.pause()
    bench.moveTime(to: 20)
    bench.finish(.cancelled)
    bench.moveTime(to: 90)
    #expect(bench.value == .seconds(25))
  }

  @Test func `A countdown that has ended keeps the end value, also if the clock is set back`() {
    let end = Workbench.date(3)
    let bench = Workbench(TimerSchedule(cadence: .countdownUntil(end, every: Interval(.seconds(1)))))
    bench.fire(awaited: true, at: 3)
    while bench.take() != nil {}
    bench.finish(.completed)
    bench.setWallClock(by: -2)
    #expect(bench.value == .zero)
  }

  @Test func `A countdown that is cancelled before its last tick is taken keeps the end value`() {
    let schedule = TimerSchedule(cadence: .countdownUntil(Workbench.date(3), every: Interval(.seconds(1))))
    for isPaused in [false, true] {
      let bench = Workbench(schedule)
      bench.fire(awaited: false, at: 1)
      bench.fire(awaited: false, at: 3)
      #expect(bench.value == .zero)
      bench.setWallClock(by: -2)
      if isPaused { bench.pause() }
      #expect(bench.value == .zero)
      bench.finish(.cancelled)
      #expect(bench.value == .zero)
    }
  }
}
