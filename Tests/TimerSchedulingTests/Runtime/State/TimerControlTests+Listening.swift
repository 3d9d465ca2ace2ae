import Foundation
import Testing
import TimerScheduling

/// Several listeners to one timer.
extension TimerControlTests {
  // deadlines  10   20   30
  // quick      x    x    x
  // slow                   x
  @Test func `A slow listener doesn't hold up a quick one`() {
    let bench = Workbench(.every(10))
    let slow = bench.join()
    for index in 0...2 { #expect(bench.nextTick()?.row == Row(due: 10 * Double(index + 1), index: index)) }
    bench.moveTime(to: 35)
    #expect(bench.take(by: slow)?.row == Row(due: 30, index: 2, missed: 2))
    #expect(bench.deadline == 40)
  }

  // deadlines   10   20   30
  // first       [=========]  x  (20)
  // comes late            x
  @Test func `One that comes while a tick waits gets only what is due later`() {
    let bench = Workbench(.every(10))
    bench.moveTime(to: 10)
    bench.fire(awaited: false)
    bench.moveTime(to: 25)
    let late = bench.join()
    #expect(bench.take(by: late) == nil)
    #expect(bench.mustWait(late))
    #expect(bench.deadline == 30)
    #expect(bench.take()?.row == Row(due: 20, index: 0, missed: 1))
    #expect(bench.nextTick()?.row == Row(due: 30, index: 1))
    #expect(bench.take(by: late)?.row == Row(due: 30, index: 1))
  }

  @Test func `One that comes when all others have left isn't told which dates of a rule have passed`() {
    let bench = Workbench(.rule(EverySeconds(10)).missedTicks(.burst))
    #expect(bench.nextTick()?.row == Row(due: 10, index: 0))
    bench.moveTime(to: 20)
    bench.fire(awaited: false)
    bench.leave()
    bench.moveTime(to: 45)
    let next = bench.join()
    #expect(bench.take(by: next) == nil)
    #expect(bench.deadline == 50)
    bench.moveTime(to: 50)
    bench.fire(awaited: true)
    #expect(bench.take(by: next)?.row == Row(due: 50, index: 1))
  }

  @Test(arguments: [MissedTickBehavior.skip, .burst])
  func `One that comes before any tick was taken gets what has passed`(behavior: MissedTickBehavior) {
    let bench = Workbench(.every(10).missedTicks(behavior))
    bench.leave()
    bench.moveTime(to: 10)
    bench.fire(awaited: false)
    bench.moveTime(to: 35)
    let next = bench.join()
    let expected =
      behavior == .skip
      ? [Row(due: 30, index: 0, missed: 2)]
      : (0...2).map {
        Row(due: 10 + 10 * Double($0), index: $0)
      }
    for row in expected { #expect(bench.take(by: next)?.row == row) }
    #expect(bench.deadline == 40)
  }

  @Test(
    arguments: [MissedTickBehavior.skip, .burst])
  func `Listeners that leave without a tick don't take its index with them`(behavior: MissedTickBehavior) {
    let bench = Workbench(.every(10).missedTicks(behavior).limit(1))
    bench.moveTime(to: 30)
    bench.fire(awaited: true)
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
    bench.moveTime(to: 30)
    bench.fire(awaited: true)
    let second = bench.join()
    bench.moveTime(to: 40)
    bench.fire(awaited: true)
    #expect(bench.take(by: second) == nil)
    bench.leave()
    #expect(bench.take(by: second)?.row == Row(due: 40, index: 0))
    #expect(bench.finishReason == .completed)
  }

  @Test(arguments: [
    TimerSchedule.every(10).limit(1), .after(10), .every(10).until(Workbench.date(15)), .counting(10),
  ])
  func `The last tick is for every listener, until the timer is ended`(schedule: TimerSchedule) {
    for isEnded in [false, true] {
      let bench = Workbench(schedule)
      let other = bench.join()
      #expect(bench.nextTick()?.row == Row(due: 10, index: 0))
      #expect(bench.finishReason == .completed)
      if isEnded { bench.finish(.cancelled) }
      #expect(bench.finishReason == .completed)
      #expect(!bench.mustWait(other))
      #expect(bench.take(by: other)?.row == (isEnded ? nil : Row(due: 10, index: 0)))
      #expect(bench.take(by: other) == nil)
    }
  }

  @Test func `A limit that one listener has reached leaves the ticks before it to the others`() {
    let bench = Workbench(.every(10).missedTicks(.burst).limit(2))
    let slow = bench.join()
    bench.moveTime(to: 55)
    bench.fire(awaited: true)
    #expect((0...2).map { _ in bench.take()?.index } == [0, 1, nil])
    #expect(bench.finishReason == .completed)
    #expect((0...2).map { _ in bench.take(by: slow)?.index } == [0, 1, nil])
  }

  @Test func `A pause keeps what each listener is owed`() {
    let bench = Workbench(.every(10).missedTicks(.burst))
    let slow = bench.join()
    #expect(bench.nextTick()?.index == 0)
    #expect(bench.nextTick()?.index == 1)
    bench.pause(at: 24)
    #expect(bench.mustWait(slow))
    #expect(bench.take(by: slow) == nil)
    // A listener that joins during the pause is owed nothing from before it.
    let late = bench.join()
    bench.resume(at: 50)
    #expect(bench.take() == nil)
    #expect(bench.take(by: late) == nil)
    #expect((0...2).map { _ in bench.take(by: slow)?.index } == [0, 1, nil])
    #expect(bench.nextTick()?.row == Row(due: 56, index: 2))
    #expect(bench.take(by: slow)?.row == Row(due: 56, index: 2))
    #expect(bench.take(by: late)?.row == Row(due: 56, index: 2))
  }

  @Test(arguments: [MissedTickBehavior.skip, .burst])
  func `A new schedule drops what each listener is owed`(behavior: MissedTickBehavior) {
    let bench = Workbench(.every(10).missedTicks(behavior))
    let slow = bench.join()
    for _ in 0...2 { #expect(bench.nextTick() != nil) }
    bench.reschedule(.every(1).missedTicks(behavior))
    #expect(bench.take(by: slow) == nil)
    #expect(bench.nextTick()?.row == Row(due: 31, index: 3))
    #expect(bench.take(by: slow)?.row == Row(due: 31, index: 3))
  }
}
