import Foundation
import Testing
import TimerScheduling

/// Firing by hand, and several listeners.
extension TimerControlTests {
  @Test(arguments: repeating)
  func `Firing by hand ticks now and leaves the deadlines as they are`(schedule: TimerSchedule) {
    let (bench, twin) = (Workbench(schedule), Workbench(schedule))
    bench.fireByHand(at: 4)
    #expect(!bench.mustWait)
    #expect(bench.take()?.row == Row(due: 4, index: 0))
    for index in 1...3 {
      let tick = bench.nextTick()
      #expect(tick?.index == index)
      #expect(tick?.missedCount == 0)
      #expect(tick?.scheduledDate == twin.nextTick()?.scheduledDate)
    }
  }

  @Test func `A tick by hand is there while the rule is being asked and after`() {
    let bench = Workbench(.rule(EverySeconds(10)))
    let tellAnswer = bench.beginAsking(at: 10)
    bench.fireByHand(at: 12)
    tellAnswer()
    #expect(bench.take()?.row == Row(due: 12, index: 0, missed: 1))
    #expect(bench.nextTick()?.row == Row(due: 20, index: 1))
  }

  @Test func `A countdown fired by hand doesn't count faster`() {
    let bench = Workbench(.counting(20))
    bench.fireByHand(at: 4)
    #expect(bench.take()?.index == 0)
    #expect(bench.step == 0)
    #expect(bench.value == .seconds(16))
    #expect(bench.nextTick()?.row == Row(due: 10, index: 1))
    #expect(bench.step == 1)
  }

  @Test func `After its end date a timer can't be fired by hand, even if it hasn't noticed the end`() {
    let bench = Workbench(.every(10).until(Workbench.date(35)))
    bench.fire(awaited: false, at: 10)
    bench.fireByHand(at: 40)
    #expect(bench.take()?.row == Row(due: 30, index: 0, missed: 2))
    #expect(bench.take() == nil)
  }

  @Test func `A deadline the scheduler is late for comes before a tick by hand`() throws {
    let bench = Workbench(.every(10))
    bench.fireByHand(at: 12)
    let first = try #require(bench.take())
    bench.fire(awaited: true)
    if let second = bench.take() { #expect(second.scheduledDate >= first.scheduledDate) }
    #expect(bench.deadline == 20)
  }

  @Test func `One that comes when all others have left isn't told which dates of a rule have passed`() {
    let bench = Workbench(.rule(EverySeconds(10)).missedTicks(.burst))
    #expect(bench.nextTick()?.row == Row(due: 10, index: 0))
    bench.fire(awaited: false, at: 20)
    bench.leave()
    bench.moveTime(to: 45)
    let next = bench.join()
    #expect(bench.take(by: next) == nil)
    #expect(bench.deadline == 50)
    bench.fire(awaited: true, at: 50)
    #expect(bench.take(by: next)?.row == Row(due: 50, index: 1))
  }

  @Test(arguments: [MissedTickBehavior.skip, .burst])
  func `Listeners that leave without a tick don't take its index with them`(behavior: MissedTickBehavior) {
    let bench = Workbench(.every(10).missedTicks(behavior).limit(1))
    bench.fire(awaited: true, at: 30)
    let second = bench.join()
    bench.leave()
    bench.leave(second)
    let third = bench.join()
    #expect(bench.take(by: third)?.index == 0)
    #expect(bench.finishReason == .completed)
  }

  // deadlines  10   20   30   40
  // first      [=============] leaves
  // second               [========] x
  @Test func `Ticks that only one who left was owed don't count towards the limit`() {
    let bench = Workbench(.every(10).missedTicks(.burst).limit(1))
    bench.fire(awaited: true, at: 30)
    let second = bench.join()
    bench.fire(awaited: true, at: 40)
    #expect(bench.take(by: second) == nil)
    bench.leave()
    #expect(bench.take(by: second)?.row == Row(due: 40, index: 0))
    #expect(bench.finishReason == .completed)
  }

  @Test func `A timer that is ended after it has completed gives no more ticks`() {
    let bench = Workbench(.after(.seconds(1)))
    let other = bench.join()
    bench.fire(awaited: false, at: 1)
    #expect(bench.take() != nil)
    #expect(bench.finishReason == .completed)
    bench.finish(.cancelled)
    #expect(bench.finishReason == .completed)
    #expect(bench.take(by: other) == nil)
  }
}
