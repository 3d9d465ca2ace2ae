import Foundation
import TestSupport
import Testing
import TimerScheduling

/// The clocks during a pause, and the values that a countdown shows.
extension TimerControlTests {
  // MARK: The clocks

  @Test(arguments: [3600.0, -3600])
  func `A wall clock set during a pause doesn't change what was left`(step: Double) {
    for timer in ControlledSchedule.grids {
      let bench = timer.makeBench()
      bench.pause(at: 4)
      bench.moveTime(to: 10)
      bench.setWallClock(by: step)
      bench.wallClockSetBack()
      bench.moveTime(to: 14)
      #expect(bench.remaining == .seconds(6), "\(timer)")
      bench.resume()
      #expect(bench.remaining == .seconds(6), "\(timer)")
      let monotonic = bench.now.monotonic
      #expect(bench.nextTick()?.index == 0, "\(timer)")
      #expect(bench.now.monotonic - monotonic == Interval(seconds: 6), "\(timer)")
    }
  }

  @Test(
    arguments: [
      (.every(10, starting: .aligned), 3600), (.every(10, starting: .aligned), -3600),
      (.every(10, starting: .aligned(offset: .seconds(70))), -3600),
      (.rule(EverySeconds(10)), 3600),
    ] as [(TimerSchedule, Double)])
  func `A cadence of dates goes on by the clock as it is then`(schedule: TimerSchedule, step: Double) {
    let bench = Workbench(schedule)
    #expect(bench.nextTick()?.row == Row(due: 10, index: 0))
    bench.pause(at: 14)
    bench.setWallClock(by: step)
    bench.wallClockSetBack()
    bench.resume(at: 15)
    #expect(bench.nextTick()?.row == Row(due: 20 + step, index: 1))
  }

  @Test
  func `A rule is asked again where the clock was set back during a pause`() {
    let bench = Workbench(.rule(EverySeconds(10)))
    #expect(bench.nextTick()?.row == Row(due: 10, index: 0))
    bench.pause(at: 14)
    bench.setWallClock(by: -3600)
    bench.wallClockSetBack()
    bench.resume(at: 15)
    #expect(bench.nextTick()?.row == Row(due: -3580, index: 1))
  }

  @Test
  func `A rule is asked again where the clock was set back while it was being asked`() {
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
    bench.moveTime(to: 20)
    #expect(!bench.fire(awaited: true))
    #expect(bench.finishReason == .completed)
  }

  @Test func `A date that the clock was set beyond during a pause is due when it ends`() {
    let bench = Workbench(.at(Workbench.date(1_000)))
    bench.pause(at: 4)
    bench.setWallClock(by: 3600)
    bench.resume(at: 5)
    #expect(bench.nextTick()?.row == Row(due: 1_000, at: 3605, index: 0))
    #expect(bench.finishReason == .completed)
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

  // MARK: Countdowns

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

  @Test func `A countdown has ticked for each of its steps when it ends, whatever it was paused`() {
    let bench = Workbench(.counting(30))
    for index in 0...2 {
      bench.pause()
      bench.moveTime(by: .milliseconds(12_345))
      bench.resume()
      #expect(bench.finishReason == nil)
      #expect(bench.nextTick()?.index == index)
      #expect(bench.value == .seconds(20 - 10 * index))
    }
    #expect(bench.finishReason == .completed)
    bench.moveTime(by: .seconds(100))
    #expect(bench.value == .zero)
  }
}
