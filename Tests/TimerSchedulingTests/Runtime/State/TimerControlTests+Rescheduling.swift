import Foundation
import Testing
import TimerScheduling

/// Rescheduling, and events between a rule's question and its answer.
extension TimerControlTests {
  // MARK: Rescheduling

  @Test(
    arguments: ControlledSchedule.all.filter { $0.description != ControlledSchedule.countdown.description })
  func `Another schedule counts from now`(timer: ControlledSchedule) {
    let bench = timer.makeBench()
    bench.moveTime(to: 4)
    bench.reschedule(.every(3).limit(2))
    #expect(bench.nextTick()?.row == Row(due: 7, index: 0))
    #expect(bench.nextTick()?.row == Row(due: 10, index: 1))
    #expect(bench.finishReason == .completed)
  }

  @Test(
    arguments: [
      (.every(10), 14), (.every(10, starting: .immediately), 4),
      (.every(10, starting: .after(.seconds(1))), 5),
      (.every(10, starting: .at(Workbench.date(9))), 9), (.every(10, starting: .aligned), 10),
      (.rule(EverySeconds(10)), 10), (.after(5), 9), (.at(Workbench.date(8)), 8), (.at(Workbench.date(1)), 1),
    ] as [(TimerSchedule, Double)])
  func `Every kind of schedule can be taken up`(schedule: TimerSchedule, deadline: Double) {
    let bench = Workbench(.every(100).limit(50))
    bench.moveTime(to: 4)
    bench.reschedule(schedule)
    #expect(bench.deadline == deadline)
    #expect(bench.nextTick()?.row == Row(due: deadline, at: max(deadline, 4), index: 0))
  }

  @Test func `The options are those of the new schedule`() {
    let bench = Workbench(.every(10).tolerance(.seconds(1)).jitter(upTo: .seconds(4)))
    bench.moveTime(to: 4)
    bench.reschedule(.every(10).missedTicks(.burst).tolerance(.seconds(2)).until(Workbench.date(35)))
    #expect(bench.filing.map { $0.latest - $0.deadline } == Interval(.seconds(2)))
    bench.moveTime(to: 100)
    bench.fire(awaited: true)
    #expect((0...2).map { _ in bench.take()?.row.due } == [14, 24, 34])
    #expect(bench.finishReason == .completed)
  }

  @Test func `A tolerance of hours isn't kept for the next schedule`() {
    let bench = Workbench(.every(20_000).tolerance(.seconds(5_000)))
    bench.reschedule(.every(20_000).tolerance(.seconds(1)))
    #expect(bench.filing.map { $0.latest - $0.deadline } == Interval(.seconds(1)))
  }

  @Test(
    arguments: ControlledSchedule.all.filter { $0.description != ControlledSchedule.countdown.description })
  func `A tick that waits is dropped and isn't missed`(timer: ControlledSchedule) throws {
    for awaited in [true, false] {
      let bench = timer.makeBench()
      bench.moveTime(to: try #require(bench.deadline))
      bench.fire(awaited: awaited)
      bench.moveTime(to: 15)
      bench.reschedule(.every(10).limit(1))
      #expect(bench.mustWait)
      #expect(bench.take() == nil)
      #expect(bench.nextTick()?.row == Row(due: 25, index: 0))
      #expect(bench.finishReason == .completed)
    }
  }

  @Test(arguments: [MissedTickBehavior.skip, .burst, .delay])
  func `A limit counts from the new schedule, and the index goes on`(behavior: MissedTickBehavior) {
    let bench = Workbench(.every(10).limit(3).missedTicks(behavior))
    for index in 0...1 { #expect(bench.nextTick()?.index == index) }
    // Ticks that wait are dropped, and so don't count.
    bench.moveTime(to: 45)
    bench.fire(awaited: true)
    bench.reschedule(.every(10).limit(2).missedTicks(behavior))
    for index in 2...3 {
      #expect(bench.finishReason == nil)
      #expect(bench.nextTick()?.row == Row(due: 35 + 10 * Double(index), index: index))
    }
    #expect(bench.finishReason == .completed)
  }

  @Test(arguments: [
    TimerSchedule.every(1).limit(0), .every(1).until(.distantPast), .rule(Answering { _ in nil }),
  ])
  func `A schedule without deadlines completes the timer`(schedule: TimerSchedule) {
    for isPaused in [true, false] {
      let bench = Workbench(.every(10))
      if isPaused { bench.pause(at: 4) }
      bench.reschedule(schedule)
      #expect(bench.finishReason == .completed)
      #expect(bench.take() == nil)
    }
  }

  // time     0    4   6              21  24
  // paused        [==================]
  // anew              x
  @Test(
    arguments: [
      (.every(3), 3, 24), (.after(3), 3, 24), (.every(3, starting: .at(Workbench.date(9))), 3, 24),
      (.every(10, starting: .aligned), 4, 30), (.at(Workbench.date(8)), 2, 8),
    ] as [(TimerSchedule, Int, Double)])
  func `A paused timer stays paused, with all of the new schedule before it`(
    schedule: TimerSchedule, remaining: Int, deadline: Double
  ) {
    let bench = Workbench(.every(1))
    bench.moveTime(to: 1)
    bench.fire(awaited: false)
    bench.pause(at: 4)
    bench.moveTime(to: 6)
    bench.reschedule(schedule)
    #expect(bench.state == .paused)
    #expect(bench.filing == nil)
    #expect(bench.remaining == .seconds(remaining))
    bench.resume(at: 21)
    #expect(bench.take() == nil)
    #expect(bench.deadline == deadline)
  }

  @Test func `A countdown keeps its own schedule, and its tick`() {
    let bench = Workbench(.counting(20))
    bench.moveTime(to: 10)
    bench.fire(awaited: false)
    bench.reschedule(.every(1))
    #expect(bench.take()?.row == Row(due: 10, index: 0))
    #expect(bench.deadline == 20)
    #expect(bench.value == .seconds(10))
  }

  @Test func `A finished timer stays finished`() {
    let completed = Workbench(.after(1))
    #expect(completed.nextTick() != nil)
    let cancelled = Workbench(.every(1))
    cancelled.finish(.cancelled)
    for bench in [completed, cancelled] {
      let reason = bench.finishReason
      bench.reschedule(.every(1))
      #expect(bench.finishReason == reason)
      #expect(bench.filing == nil)
    }
  }

  @Test(
    arguments: [TimerSchedule.after(0), .every(10, starting: .immediately)])
  func `A schedule that is due at once is due when the pause ends`(schedule: TimerSchedule) {
    let bench = Workbench(.every(1))
    bench.pause(at: 0.5)
    bench.moveTime(to: 6)
    bench.reschedule(schedule)
    #expect(bench.remaining == .zero)
    bench.resume(at: 20)
    #expect(bench.nextTick()?.row == Row(due: 20, index: 0))
  }

  // MARK: Rules that are being asked

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

  @Test func `An answer for a schedule that was replaced is ignored`() {
    let bench = Workbench(.rule(EverySeconds(10)))
    let tellAnswer = bench.beginAsking(at: 10)
    bench.moveTime(to: 12)
    bench.reschedule(.rule(EverySeconds(7)))
    #expect(bench.deadline == 14)
    tellAnswer()
    #expect(bench.deadline == 14)
    #expect(bench.nextTick()?.row == Row(due: 14, index: 0))

    let other = Workbench(.rule(EverySeconds(10)))
    let tellOther = other.beginAsking(at: 10)
    other.moveTime(to: 12)
    other.reschedule(.every(1))
    tellOther()
    #expect(other.nextTick()?.row == Row(due: 13, index: 0))
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
