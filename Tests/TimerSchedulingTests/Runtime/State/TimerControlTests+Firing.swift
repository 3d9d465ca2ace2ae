import Foundation
import Testing
import TimerScheduling

/// Firing by hand.
extension TimerControlTests {
  @Test(arguments: ControlledSchedule.repeating)
  func `Firing by hand ticks now and leaves the deadlines as they are`(timer: ControlledSchedule) {
    let bench = timer.makeBench()
    let twin = timer.makeBench()
    bench.moveTime(to: 4)
    bench.fireByHand()
    #expect(!bench.mustWait)
    #expect(bench.take()?.row == Row(due: 4, index: 0))
    for index in 1...3 {
      let tick = bench.nextTick()
      #expect(tick?.index == index)
      #expect(tick?.missedCount == 0)
      #expect(tick?.scheduledDate == twin.nextTick()?.scheduledDate)
    }
  }

  @Test(arguments: [ControlledSchedule.once, .date])
  func `Fired by hand, a timer of one tick has had it`(timer: ControlledSchedule) {
    for takenAt in [4.0, 15] {
      let bench = timer.makeBench()
      bench.moveTime(to: 4)
      bench.fireByHand()
      #expect(bench.filing == nil)
      bench.moveTime(to: takenAt)
      #expect(!bench.fire(awaited: true))
      bench.fireByHand()
      #expect(bench.take()?.row == Row(due: 4, index: 0))
      #expect(bench.finishReason == .completed)
    }
  }

  @Test(arguments: ControlledSchedule.all)
  func `Firing a paused or finished timer by hand does nothing`(timer: ControlledSchedule) {
    let bench = timer.makeBench()
    bench.pause(at: 4)
    bench.fireByHand()
    bench.resume(.keepingPhase, at: 5)
    #expect(bench.take() == nil)
    #expect(bench.nextTick()?.index == 0)
    bench.finish(.cancelled)
    bench.fireByHand()
    #expect(bench.take() == nil)
  }

  // deadlines  10   20   30         40
  // consumer   [==============]
  // by hand              35
  @Test(arguments: [
    (MissedTickBehavior.skip, [Row(due: 35, index: 0, missed: 3)]),
    // As documented, the dates of owed ticks are spaced evenly before the newest.
    (.burst, (0...3).map { Row(due: 5 + 10 * Double($0), at: 35, index: $0) }),
  ])
  func `Deadlines that came before a tick by hand come before it`(
    behavior: MissedTickBehavior, expected: [Row]
  ) {
    let bench = Workbench(.every(10).missedTicks(behavior))
    bench.moveTime(to: 10)
    bench.fire(awaited: false)
    bench.moveTime(to: 35)
    bench.fireByHand()
    bench.moveTime(to: 36)
    for row in expected { #expect(bench.take()?.row == row) }
    #expect(bench.take() == nil)
    #expect(bench.deadline == 40)
  }

  @Test func `A tick by hand is there while the rule is being asked and after`() {
    let bench = Workbench(.rule(EverySeconds(10)))
    let tellAnswer = bench.beginAsking(at: 10)
    bench.moveTime(to: 12)
    bench.fireByHand()
    tellAnswer()
    #expect(bench.take()?.row == Row(due: 12, index: 0, missed: 1))
    #expect(bench.nextTick()?.row == Row(due: 20, index: 1))
  }

  @Test func `Ticks by hand count towards the limit`() {
    let bench = Workbench(.every(10).limit(2))
    for index in 0...1 {
      bench.moveTime(by: .seconds(1))
      bench.fireByHand()
      #expect(bench.take()?.index == index)
    }
    #expect(bench.finishReason == .completed)
  }

  @Test func `A countdown fired by hand doesn't count faster`() {
    let bench = Workbench(.counting(20))
    bench.moveTime(to: 4)
    bench.fireByHand()
    #expect(bench.take()?.index == 0)
    #expect(bench.newestOrdinal == 0)
    #expect(bench.value == .seconds(16))
    #expect(bench.nextTick()?.row == Row(due: 10, index: 1))
    #expect(bench.newestOrdinal == 1)
  }

  @Test
  func `After its end date a timer can't be fired by hand, even if it hasn't noticed the end`() {
    let bench = Workbench(.every(10).until(Workbench.date(35)))
    bench.moveTime(to: 10)
    bench.fire(awaited: false)
    bench.moveTime(to: 40)
    bench.fireByHand()
    #expect(bench.take()?.row == Row(due: 30, index: 0, missed: 2))
    #expect(bench.take() == nil)
  }

  @Test
  func `A deadline the scheduler is late for comes before a tick by hand`() throws {
    let bench = Workbench(.every(10))
    bench.moveTime(to: 12)
    bench.fireByHand()
    let first = try #require(bench.take())
    bench.fire(awaited: true)
    if let second = bench.take() { #expect(second.scheduledDate >= first.scheduledDate) }
    #expect(bench.deadline == 20)
  }
}
