import Foundation
import TestSupport
import Testing
import TimerScheduling

/// The deadline that a timer waits for, seen through its state machine.
@Suite struct RecurrenceTests {
  @Test(.guarantee("G18")) func `A rule is asked with the new time`() {
    let bench = Workbench(.rule(EverySeconds(10)))
    #expect(bench.tick()?.row == TimerTick.Row(due: 10, index: 0))
    #expect(bench.deadline == 20)
    bench.setWallClock(by: -100)
    bench.wallClockSetBack()
    #expect(bench.deadline == -80)
  }

  @Test(.guarantee("G18"))
  func `A clock set ahead by centuries passes as many deadlines as can be counted`() {
    let bench = Workbench(.every(.nanoseconds(1), starting: .aligned))
    bench.setWallClock(by: -1e10)
    bench.wallClockSetBack()
    // Each of these is 292 years, the most that a clock is set by at once.
    for _ in 0..<2 { bench.setWallClock(by: 1e10) }
    bench.fire(awaited: false)
    #expect(bench.take() != nil)
  }

  @Test(.guarantee("G6")) func `A filing allows for the tolerance`() {
    let own = Workbench(.every(1).tolerance(.milliseconds(20)), tolerance: .seconds(1))
    let default_ = Workbench(.every(1), tolerance: .milliseconds(5))
    #expect(own.filing.map { $0.latest - $0.deadline } == Interval(.milliseconds(20)))
    #expect(default_.filing.map { $0.latest - $0.deadline } == Interval(.milliseconds(5)))
  }

  @Test(.guarantee("G6")) func `Jitter is drawn anew for every tick and doesn't shift the grid`() {
    let bench = Workbench(.every(10).jitter(upTo: .seconds(4)))
    var delays: Set<Double> = []
    for index in 0..<200 {
      let due = bench.tick()?.row.due ?? .nan
      let delay = due - Double(10 * (index + 1))
      #expect(delay >= 0 && delay < 4)
      delays.insert(delay)
    }
    #expect(delays.count > 190)
    #expect(delays.max() ?? 0 > 3.5)
    #expect(delays.min() ?? 4 < 0.5)
  }

  @Test(.guarantee("G6"), arguments: [true, false])
  func `Jitter doesn't make ticks missed`(awaited: Bool) {
    let bench = Workbench(.every(10).jitter(upTo: .seconds(10)))
    var missed = 0
    for _ in 0..<5_000 {
      bench.moveTime(to: (bench.deadline ?? .nan) + 0.1)
      bench.fire(awaited: awaited)
      missed += bench.take()?.missedCount ?? .max
    }
    // One in a hundred is fired after the next multiple of the interval. That one's deadline has passed
    // only if its own jitter is next to nothing.
    #expect(missed <= 3)
  }

  @Test(.guarantee("G6")) func `A restarted cadence draws its jitter anew`() {
    let bench = Workbench(.every(10).jitter(upTo: .seconds(4)).missedTicks(.delay))
    var delays: Set<Double> = []
    for _ in 0..<20 {
      let late = (bench.deadline ?? .nan) + 50
      bench.moveTime(to: late)
      bench.fire(awaited: true)
      _ = bench.take()
      delays.insert((bench.deadline ?? .nan) - late)
    }
    #expect(delays.count > 15)
  }

  @Test(.guarantee("G5", "G6")) func `A tolerance of more than half the interval counts as half`() {
    let bench = Workbench(.every(.milliseconds(10)), tolerance: .milliseconds(100))
    #expect(bench.filing.map { $0.latest - $0.deadline } == Interval(.milliseconds(5)))
    let once = Workbench(.after(.milliseconds(10)), tolerance: .milliseconds(100))
    #expect(once.filing.map { $0.latest - $0.deadline } == Interval(.milliseconds(100)))
  }

  @Test(.guarantee("G6")) func `Timers draw different jitter`() {
    let one = Workbench(.every(10).jitter(upTo: .seconds(4)), jitterSeed: 1)
    let other = Workbench(.every(10).jitter(upTo: .seconds(4)), jitterSeed: 2)
    #expect(one.deadline != other.deadline)
  }

  @Test(.guarantee("G6")) func `Jitter beyond the interval keeps the ticks in order`() {
    let bench = Workbench(.every(1).jitter(upTo: .seconds(1000)))
    for index in 0..<200 {
      let row = bench.tick()?.row
      #expect(row?.index == index)
      #expect(row?.missed == 0)
      #expect((row?.due ?? .nan) - Double(index + 1) < 1)
    }
  }
}
