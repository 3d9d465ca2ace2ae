import Foundation
import TestSupport
import Testing
import TimerScheduling

@Suite(.guarantee("G20")) struct TimerStateMachineTests {
  @Test(.hazard("M2"), .guarantee("G2"))
  func `After ten thousand late ticks the grid is where arithmetic says`() {
    let bench = Workbench(.every(.nanoseconds(32_300_000_001)))
    for _ in 0..<10_000 { _ = bench.tick(late: 0.001) }
    let expected: Int64 = 5_000_000_000 + 10_001 * 32_300_000_001
    #expect(bench.filing?.deadline == Deadline(nanoseconds: expected))
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
}
