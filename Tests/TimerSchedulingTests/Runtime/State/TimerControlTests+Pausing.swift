import Foundation
import TestSupport
import Testing
import TimerScheduling

/// Calls and scopes that keep a timer paused, and the end of the pause.
extension TimerControlTests {
  // MARK: Calls and scopes

  // time     0    4     8     12    15    18
  // calls         pause pause resume resume
  @Test func `Only the first pause and the first resumption count`() {
    let bench = Workbench(.every(10))
    bench.pause(at: 4)
    bench.pause(at: 8)
    bench.resume(at: 12)
    #expect(bench.deadline == 18)
    bench.resume(at: 15)
    #expect(bench.deadline == 18)
    bench.resume(.immediately)
    #expect(bench.take() == nil)
    #expect(bench.nextTick()?.row == Row(due: 18, index: 0))
  }

  /// Parentheses stand for scopes, p for a pause and r for a resumption by call.
  @Test(
    .hazard("W5"),
    arguments: [
      ("(", true), ("()", false), ("(()", true), ("(())", false), ("()()", false), ("(()(", true),
      ("p", true), ("pp", true), ("ppr", false), ("r", false), ("rp", true), ("prp", true),
      ("p()", true), ("(p)", true), ("(p)r", false), ("p()r", false), ("(pp)r", false),
      ("(r", true), ("(r)", false), ("p(r", true), ("p(r)", false), ("(pr", true), ("(pr)", false),
      ("((p)r", true), ("((p)r)", false), ("(prp)", true),
    ])
  func `A timer is paused as long as a scope lasts or a call holds`(calls: String, isPaused: Bool) {
    for timer in ControlledSchedule.all {
      let bench = timer.makeBench()
      for call in calls { bench.perform(call) }
      #expect(bench.state == (isPaused ? .paused : .scheduled), "\(timer)")
      #expect((bench.filing == nil) == isPaused, "\(timer)")
    }
  }

  // time     0    4   5   6   8   9             18
  // scopes        [===]   [=======]
  // calls                     p   r
  @Test func `Scopes and calls keep what was left`() {
    let bench = Workbench(.every(10))
    for (time, call) in [(4, "("), (5, ")"), (6, "("), (8, "p"), (9, ")"), (11, "r")] as [(Double, Character)]
    {
      bench.moveTime(to: time)
      bench.perform(call)
    }
    #expect(bench.deadline == 16)
  }

  @Test(arguments: [ResumeBehavior.keepingPhase, .immediately])
  func `Resumed within a scope, a timer goes on at the scope's end with what was left`(
    behavior: ResumeBehavior
  ) {
    let bench = Workbench(.every(10))
    bench.pause(at: 4)
    bench.beginScope()
    bench.resume(behavior, at: 15)
    #expect(bench.state == .paused)
    #expect(bench.take() == nil)
    bench.moveTime(to: 24)
    bench.endScope()
    #expect(bench.take() == nil)
    #expect(bench.deadline == 30)
  }

  @Test func `A rescheduled timer is still paused by what paused it`() {
    let bench = Workbench(.every(10))
    bench.beginScope()
    bench.reschedule(.every(3))
    bench.resume()
    #expect(bench.state == .paused)
    bench.endScope()
    #expect(bench.deadline == 3)
  }

  // MARK: The end

  @Test(arguments: ControlledSchedule.all)
  func `A tick that waits when a paused timer is ended is withdrawn`(timer: ControlledSchedule) throws {
    let bench = timer.makeBench()
    bench.moveTime(to: try #require(bench.deadline))
    bench.fire(awaited: true)
    bench.pause()
    bench.finish(.cancelled)
    for call in "r()p" {
      bench.perform(call)
      #expect(bench.state == .finished(.cancelled))
      #expect(bench.filing == nil)
      #expect(bench.remaining == nil)
      #expect(!bench.mustWait)
      #expect(bench.take() == nil)
    }
  }

  @Test(arguments: [true, false])
  func `A pause beyond the end date leaves what waits as the last`(hasTick: Bool) {
    for behavior in [ResumeBehavior.keepingRemainingTime, .keepingPhase] {
      let bench = Workbench(.every(10).until(Workbench.date(35)))
      if hasTick {
        bench.moveTime(to: 10)
        bench.fire(awaited: false)
      }
      bench.pause(at: 14)
      bench.resume(behavior, at: 50)
      #expect(bench.filing == nil)
      // Without the firing it is the pause that finds the tick of 10.
      #expect(bench.take()?.row == Row(due: 10, index: 0))
      #expect(bench.finishReason == .completed)
    }
  }

  @Test func `With a deadline moved beyond the end date a timer is at its end`() {
    let bench = Workbench(.every(10).until(Workbench.date(35)))
    bench.pause(at: 4)
    bench.resume(at: 30)
    #expect(bench.finishReason == .completed)
    let other = Workbench(.every(10).until(Workbench.date(35)))
    other.pause(at: 4)
    other.resume(at: 29)
    #expect(other.nextTick()?.row == Row(due: 35, index: 0))
    #expect(other.finishReason == .completed)
  }

  @Test
  func `After its end date a timer that is resumed doesn't tick at once`() {
    let bench = Workbench(.every(10).until(Workbench.date(35)))
    bench.pause(at: 4)
    bench.resume(.immediately, at: 50)
    #expect(bench.take() == nil)
    #expect(bench.finishReason == .completed)
  }

  // deadlines    10    20        40
  // paused                [==]
  // tick                     30, taken at 33
  @Test func `A delayed cadence that was resumed at once counts from then, whatever was missed before`() {
    let bench = Workbench(.every(10).missedTicks(.delay))
    bench.moveTime(to: 10)
    bench.fire(awaited: false)
    bench.pause(at: 25)
    bench.resume(.immediately, at: 30)
    bench.moveTime(to: 33)
    #expect(bench.take()?.row == Row(due: 30, index: 0, missed: 2))
    #expect(bench.deadline == 40)
  }

  @Test func `Ticks before and after a pause count towards one limit`() {
    let bench = Workbench(.every(10).limit(3))
    #expect(bench.nextTick()?.index == 0)
    bench.pause(at: 14)
    bench.resume(.immediately, at: 50)
    #expect(bench.take()?.row == Row(due: 50, index: 1))
    #expect(bench.nextTick()?.row == Row(due: 60, index: 2))
    #expect(bench.finishReason == .completed)
  }

  @Test(arguments: [TimerSchedule.every(10).limit(1), .after(10), .counting(10)])
  func `While the action runs for the last tick, the timer isn't over, but has no more ticks`(
    schedule: TimerSchedule
  ) {
    let bench = Workbench(schedule)
    bench.moveTime(to: 10)
    bench.fire(awaited: true)
    #expect(bench.take() != nil)
    #expect(bench.finishReason == .completed)

    let other = Workbench(schedule)
    other.isRunning = true
    #expect(other.nextTick()?.index == 0)
    #expect(other.state == .scheduled)
    #expect(other.filing == nil)
    other.fireByHand()
    #expect(other.take() == nil)
    other.pause()
    #expect(other.state == .paused)
    other.isRunning = false
    #expect(other.finishReason == .completed)
  }

  @Test func `While the action runs for the last tick, the timer can get another schedule`() {
    let bench = Workbench(.every(10).limit(1))
    bench.isRunning = true
    #expect(bench.nextTick()?.index == 0)
    bench.reschedule(.every(3).limit(1))
    bench.isRunning = false
    #expect(bench.nextTick()?.row == Row(due: 13, index: 1))
    #expect(bench.finishReason == .completed)
  }
}

extension Workbench {
  fileprivate func perform(_ call: Character) {
    switch call {
    case "(": beginScope()
    case ")": endScope()
    case "p": pause()
    default: resume()
    }
  }
}
