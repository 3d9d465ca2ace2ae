import Foundation
import Testing
import TimerScheduling

/// Ticks that came before the pause and wait to be taken.
extension TimerControlTests {
  @Test(arguments: ControlledSchedule.all, [true, false])
  func `A tick that waits is kept for after the pause`(timer: ControlledSchedule, awaited: Bool) throws {
    let bench = timer.makeBench()
    let due = try #require(bench.deadline)
    bench.moveTime(to: due)
    bench.fire(awaited: awaited)
    bench.pause(at: due + 2)
    #expect(bench.mustWait)
    #expect(bench.take() == nil)
    bench.moveTime(to: 25)
    #expect(bench.take() == nil)
    bench.resume(at: 25)
    #expect(!bench.mustWait)
    #expect(bench.take()?.row == Row(due: due, index: 0))
    #expect(bench.take() == nil)
  }

  @Test(arguments: ControlledSchedule.all, [ResumeBehavior.keepingRemainingTime, .keepingPhase])
  func `A deadline that came before the pause isn't lost though the scheduler was late`(
    timer: ControlledSchedule, behavior: ResumeBehavior
  ) throws {
    let bench = timer.makeBench()
    let due = try #require(bench.deadline)
    bench.pause(at: due + 0.5)
    #expect(!bench.fire(awaited: true))
    #expect(bench.take() == nil)
    bench.resume(behavior, at: 25)
    #expect(bench.take()?.row == Row(due: due, index: 0))
    #expect(bench.take() == nil)
    #expect(bench.state == (timer.isOnce ? .finished(.completed) : .scheduled))
    if !timer.isOnce { #expect(bench.nextTick()?.row.missed == 0) }
  }

  // time       0         10        20        30         pause       95
  // consumer             [==========================================]
  @Test(arguments: [
    (MissedTickBehavior.skip, [Row(due: 30, index: 0, missed: 2)]),
    (.burst, [Row(due: 10, index: 0), Row(due: 20, index: 1), Row(due: 30, index: 2)]),
  ])
  func `Deadlines missed before the pause count, those that would have been in it don't`(
    behavior: MissedTickBehavior, expected: [Row]
  ) {
    let bench = Workbench(.every(10).missedTicks(behavior))
    bench.moveTime(to: 10)
    bench.fire(awaited: false)
    bench.pause(at: 35)
    bench.resume(at: 95)
    for row in expected { #expect(bench.take()?.row == row) }
    #expect(bench.take() == nil)
    #expect(bench.deadline == 100)
    #expect(bench.nextTick()?.row == Row(due: 100, index: expected.count))
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
    bench.moveTime(to: 10)
    bench.fire(awaited: false)
    bench.pause(at: 35)
    bench.resume(at: 95)
    for row in expected { #expect(bench.nextTick()?.row == row) }
    #expect(bench.nextTick()?.row == Row(due: 100, index: expected.count))
  }
}
