import Foundation
import Testing
import TimerScheduling

/// Rescheduling, and events between a rule's question and its answer.
extension TimerControlTests {
  @Test func `A tolerance of hours isn't kept for the next schedule`() {
    let bench = Workbench(.every(20_000).tolerance(.seconds(5_000)))
    bench.reschedule(.every(20_000).tolerance(.seconds(1)))
    #expect(bench.filing.map { $0.latest - $0.deadline } == Interval(.seconds(1)))
  }

  @Test func `A countdown keeps its own schedule, and its tick`() {
    let bench = Workbench(.counting(20))
    bench.fire(awaited: false, at: 10)
    bench.reschedule(.every(1))
    #expect(bench.take()?.row == Row(due: 10, index: 0))
    #expect(bench.deadline == 20)
    #expect(bench.value == .seconds(10))
  }

  @Test func `An answer that comes during a pause is ignored`() {
    let bench = Workbench(.rule(EverySeconds(10)))
    let tellAnswer = bench.beginAsking(at: 10)
    bench.pause(at: 12)
    tellAnswer()
    #expect(bench.state == .paused)
    #expect(bench.filing == nil)
    #expect(bench.take() == nil)
    bench.resume(at: 25)
    // The tick from before the pause is there, and 20 wasn't missed.
    #expect(bench.nextTick()?.row == Row(due: 10, index: 0))
    #expect(bench.nextTick()?.row == Row(due: 30, index: 1))
  }

  @Test(arguments: [ResumeBehavior.keepingRemainingTime, .keepingPhase])
  func `An answer from before a pause is ignored after it`(behavior: ResumeBehavior) {
    let bench = Workbench(.rule(EverySeconds(10)))
    let tellAnswer = bench.beginAsking(at: 10)
    bench.pause(at: 12)
    bench.resume(behavior, at: 25)
    tellAnswer()
    #expect(bench.filing == nil)
    let tellNewAnswer = bench.beginToTake()
    tellAnswer()
    #expect(bench.filing == nil)
    tellNewAnswer()
    #expect(bench.deadline == 30)
    #expect(bench.take()?.row == Row(due: 10, index: 0))
  }

  @Test func `A rule that was being asked ticks at once, too`() {
    let bench = Workbench(.rule(EverySeconds(10)))
    let tellAnswer = bench.beginAsking(at: 10)
    bench.pause(at: 12)
    bench.resume(.immediately, at: 25)
    tellAnswer()
    #expect(bench.nextTick()?.row == Row(due: 25, index: 0, missed: 1))
    #expect(bench.nextTick()?.row == Row(due: 30, index: 1))
  }

  @Test(arguments: [(.rule(EverySeconds(7)), 14), (.every(1), 13)] as [(TimerSchedule, Double)])
  func `An answer for a schedule that was replaced is ignored`(schedule: TimerSchedule, due: Double) {
    let bench = Workbench(.rule(EverySeconds(10)))
    let tellAnswer = bench.beginAsking(at: 10)
    bench.moveTime(to: 12)
    bench.reschedule(schedule)
    #expect(bench.deadline == due)
    tellAnswer()
    #expect(bench.deadline == due)
    #expect(bench.nextTick()?.row == Row(due: due, index: 0))
  }

  @Test func `An answer that comes after the end is ignored`() {
    let bench = Workbench(.rule(EverySeconds(10)))
    let tellAnswer = bench.beginAsking(at: 10)
    bench.finish(.cancelled)
    tellAnswer()
    #expect(bench.finishReason == .cancelled)
    #expect(bench.filing == nil)
    #expect(bench.take() == nil)
  }
}
