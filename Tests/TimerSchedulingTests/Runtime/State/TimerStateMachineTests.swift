import Foundation
import TestSupport
import Testing
import TimerScheduling

@Suite(.guarantee("G20")) struct TimerStateMachineTests {
  // MARK: In time

  @Test func `Ticks taken in time are those of the grid`() {
    let bench = Workbench(.every(2))
    #expect(bench.tick()?.row == TimerTick.Row(due: 2, index: 0))
    #expect(bench.tick()?.row == TimerTick.Row(due: 4, index: 1))
    #expect(bench.tick(late: 0.5)?.row == TimerTick.Row(due: 6, at: 6.5, index: 2))
    #expect(bench.deadline == 8)
  }

  @Test(.hazard("M2"), .guarantee("G2"))
  func `After ten thousand late ticks the grid is where arithmetic says`() {
    let bench = Workbench(.every(.nanoseconds(32_300_000_001)))
    for _ in 0..<10_000 { _ = bench.tick(late: 0.001) }
    let expected: Int64 = 5_000_000_000 + 10_001 * 32_300_000_001
    #expect(bench.filing?.deadline == Deadline(nanoseconds: expected))
  }

  @Test(.guarantee("G1")) func `A timer isn't fired early`() {
    let bench = Workbench(.every(2))
    bench.moveTime(to: 1.999_999_999)
    #expect(!bench.fire(awaited: true))
    #expect(bench.take() == nil)
    #expect(bench.deadline == 2)
  }

  @Test func `The lateness is what lies between the deadline and the firing`() throws {
    let tick = try #require(Workbench(.every(2)).tick(late: 0.25))
    #expect(tick.lateness == .milliseconds(250))
  }

  // MARK: A consumer that is busy

  // deadlines  1    2    3    4    5
  // consumer        [==========]
  @Test func `Nothing is filed while a tick is untaken`() {
    let bench = Workbench(.every(1))
    bench.moveTime(to: 1)
    #expect(bench.fire(awaited: false))
    #expect(bench.deadline == nil)
    #expect(!bench.mustWait)
    bench.moveTime(to: 3.5)
    #expect(bench.take()?.row == TimerTick.Row(due: 3, index: 0, missed: 2))
    #expect(bench.deadline == 4)
    #expect(bench.mustWait)
  }

  @Test func `A tick taken before the next deadline is the one that fired`() {
    let bench = Workbench(.every(1))
    bench.moveTime(to: 1.25)
    bench.fire(awaited: false)
    bench.moveTime(to: 1.75)
    #expect(bench.take()?.row == TimerTick.Row(due: 1, at: 1.25, index: 0))
    #expect(bench.deadline == 2)
  }

  @Test func `A burst hands out every tick, then rejoins the grid`() {
    let bench = Workbench(.every(1).missedTicks(.burst))
    bench.moveTime(to: 1)
    bench.fire(awaited: false)
    bench.moveTime(to: 3.5)
    #expect(bench.take()?.row == TimerTick.Row(due: 1, index: 0))
    #expect(bench.deadline == nil)
    #expect(bench.take()?.row == TimerTick.Row(due: 2, index: 1))
    #expect(bench.take()?.row == TimerTick.Row(due: 3, index: 2))
    #expect(bench.take() == nil)
    #expect(bench.deadline == 4)
  }

  @Test func `A burst of a rule's dates hands out each of them`() {
    let bench = Workbench(.rule(EverySeconds(1)).missedTicks(.burst))
    var due: [Double] = []
    bench.moveTime(to: 1)
    for _ in 0..<5 {
      bench.fire(awaited: true)
      // The scheduler fires the next date, which has passed, as soon as it is known.
      bench.moveTime(to: 5.5)
      if let tick = bench.take() { due.append(tick.row.due) }
      bench.fire(awaited: false)
    }
    #expect(due == [1, 2, 3, 4, 5])
  }

  // MARK: A scheduler that was stalled

  @Test(
    .hazard("Y4"),
    arguments: [
      (MissedTickBehavior.skip, [TimerTick.Row(due: 4, at: 4.5, index: 1, missed: 2)], 5.0),
      (
        .burst,
        [2, 3, 4].enumerated().map { TimerTick.Row(due: $1, at: 4.5, index: $0 + 1) },
        5.0
      ),
      (.delay, [TimerTick.Row(due: 4, at: 4.5, index: 1, missed: 2)], 5.5),
    ])
  func `After a stall`(behavior: MissedTickBehavior, expected: [TimerTick.Row], next: Double) {
    let bench = Workbench(.every(1).missedTicks(behavior))
    #expect(bench.tick() != nil)
    bench.moveTime(to: 4.5)
    bench.fire(awaited: true)
    #expect(bench.deadline == next)
    for row in expected { #expect(bench.take()?.row == row) }
    #expect(bench.take() == nil)
    #expect(bench.deadline == next)
  }

  // MARK: A consumer that was woken and is late to come

  @Test(arguments: [
    (MissedTickBehavior.skip, [TimerTick.Row(due: 2, index: 0, missed: 1)], 3.0),
    (.burst, [TimerTick.Row(due: 1, at: 2, index: 0), TimerTick.Row(due: 2, index: 1)], 3.0),
    (.delay, [TimerTick.Row(due: 2, index: 0, missed: 1)], 3.25),
  ])
  func `A tick untaken at the next deadline`(
    behavior: MissedTickBehavior, expected: [TimerTick.Row], next: Double
  ) {
    let bench = Workbench(.every(1).missedTicks(behavior))
    bench.moveTime(to: 1)
    bench.fire(awaited: true)
    #expect(bench.deadline == 2)
    bench.moveTime(to: 2)
    bench.fire(awaited: false)
    #expect(bench.deadline == nil)
    bench.moveTime(to: 2.25)
    for row in expected { #expect(bench.take()?.row == row) }
    #expect(bench.deadline == next)
  }

  // MARK: The end

  @Test(.guarantee("G24")) func `A limit counts the ticks that were taken`() {
    let bench = Workbench(.every(1).limit(2))
    bench.moveTime(to: 1)
    bench.fire(awaited: false)
    bench.moveTime(to: 10.5)
    #expect(bench.take()?.row == TimerTick.Row(due: 10, index: 0, missed: 9))
    #expect(bench.finishReason == nil)
    #expect(bench.tick()?.row == TimerTick.Row(due: 11, index: 1))
    #expect(bench.finishReason == .completed)
    #expect(bench.deadline == nil)
    #expect(bench.take() == nil)
  }

  @Test func `A limit ends a burst`() {
    let bench = Workbench(.every(1).missedTicks(.burst).limit(2))
    bench.moveTime(to: 9)
    bench.fire(awaited: true)
    #expect(bench.take() != nil)
    #expect(bench.take() != nil)
    #expect(bench.finishReason == .completed)
    #expect(bench.take() == nil)
  }

  @Test func `A limit of zero is reached at once`() {
    #expect(Workbench(.every(1).limit(0)).finishReason == .completed)
  }

  @Test func `A one-shot ends when its tick is taken`() {
    let bench = Workbench(.after(3))
    #expect(bench.tick()?.row == TimerTick.Row(due: 3, index: 0))
    #expect(bench.finishReason == .completed)

    let unawaited = Workbench(.after(3))
    unawaited.moveTime(to: 3)
    unawaited.fire(awaited: false)
    unawaited.moveTime(to: 100)
    #expect(unawaited.finishReason == nil)
    #expect(unawaited.take()?.row == TimerTick.Row(due: 3, index: 0))
    #expect(unawaited.finishReason == .completed)
  }

  @Test(arguments: [0.0, 0.5, 20])
  func `The last tick is the last due at or before the end date`(late: Double) {
    let bench = Workbench(.every(1).until(Workbench.date(3)))
    #expect(bench.tick() != nil)
    #expect(bench.tick() != nil)
    bench.moveTime(to: 3 + late)
    bench.fire(awaited: true)
    #expect(bench.take()?.row == TimerTick.Row(due: 3, at: 3 + late, index: 2))
    #expect(bench.finishReason == .completed)
  }

  @Test func `A tick that waits isn't replaced by one after the end date`() {
    let bench = Workbench(.every(1).until(Workbench.date(3)))
    bench.moveTime(to: 1)
    bench.fire(awaited: false)
    bench.moveTime(to: 9)
    #expect(bench.take()?.row == TimerTick.Row(due: 3, index: 0, missed: 2))
    #expect(bench.finishReason == .completed)
  }

  @Test func `An end date holds for a rule whose consumer is late`() {
    let bench = Workbench(.rule(EverySeconds(1)).until(Workbench.date(5)))
    bench.moveTime(to: 3)
    bench.fire(awaited: false)
    bench.moveTime(to: 10.5)
    #expect(bench.take()?.row == TimerTick.Row(due: 5, at: 5, index: 0, missed: 4))
    #expect(bench.finishReason == .completed)
  }

  @Test func `An end date before the first tick leaves none`() {
    #expect(Workbench(.every(1).until(Workbench.date(0.5))).finishReason == .completed)
    #expect(Workbench(.every(1).until(.distantPast)).finishReason == .completed)
    #expect(Workbench(.every(1).until(.distantFuture)).deadline == 1)
  }

  @Test func `An end date is passed when the clock is set beyond it`() {
    let bench = Workbench(.every(1).until(Workbench.date(100)))
    bench.setWallClock(by: 1000)
    bench.moveTime(to: 1)
    #expect(!bench.fire(awaited: true))
    #expect(bench.take() == nil)
    #expect(bench.finishReason == .completed)
  }

  @Test func `A tick that is untaken at the end is withdrawn`() {
    let bench = Workbench(.every(1))
    bench.moveTime(to: 1)
    bench.fire(awaited: true)
    bench.finish(.cancelled)
    #expect(bench.take() == nil)
    bench.finish(.replaced)
    #expect(bench.finishReason == .cancelled)
    #expect(!bench.fire(awaited: true))
  }
}
