import Foundation
import TestSupport
import Testing
import TimerScheduling

/// The moment from which the lateness of a paused timer counts.
extension TimerControlTests {
  // time     0    4     10    40    43
  // timer         pause due   resume fires
  @Test(
    .guarantee("G63"),
    arguments: [
      (TimerSchedule.at(Workbench.date(10)), ResumeBehavior.keepingRemainingTime),
      (.at(Workbench.date(10)), .keepingPhase), (.after(10), .keepingPhase), (.counting(10), .keepingPhase),
    ])
  func `A deadline that passes in a pause is late from the end of the pause`(
    schedule: TimerSchedule, behavior: ResumeBehavior
  ) throws {
    let bench = Workbench(schedule)
    bench.pause(at: 4)
    bench.resume(behavior, at: 40)
    bench.moveTime(to: 43)
    bench.fire(awaited: true)
    let tick = try #require(bench.take())
    #expect(tick.row == Row(due: 10, at: 43, index: 0))
    #expect(tick.lateness == .seconds(3))
  }

  @Test func `A deadline that passes after a pause is late from when it was due`() throws {
    for schedule in [TimerSchedule.at(Workbench.date(10)), .after(10), .every(10)] {
      let bench = Workbench(schedule)
      bench.pause(at: 4)
      bench.resume(.keepingPhase, at: 8)
      bench.moveTime(to: 13)
      bench.fire(awaited: true)
      #expect(try #require(bench.take()).lateness == .seconds(3))
    }
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
    bench.moveTime(to: 43)
    bench.fire(awaited: true)
    let tick = try #require(bench.take())
    #expect(tick.row == Row(due: 10, at: 40, index: 0))
    #expect(tick.lateness == .seconds(3))
  }

  @Test func `Ticks after that of a pause are late from when they are due`() throws {
    let bench = Workbench(.at(Workbench.date(10)))
    bench.pause(at: 4)
    bench.resume(at: 40)
    bench.reschedule(.every(10))
    #expect(try #require(bench.tick(late: 7)).lateness == .seconds(7))
  }
}
