import Foundation
import TestSupport
import Testing
import TimerScheduling

/// The deadline that a timer waits for, seen through its state machine.
@Suite struct RecurrenceTests {
  @Test(.guarantee("G19"))
  func `A clock set ahead by centuries passes as many deadlines as can be counted`() {
    let bench = Workbench(.every(.nanoseconds(1), starting: .aligned))
    bench.setWallClock(by: -1e10)
    bench.wallClockSetBack()
    // Each of these is 292 years, the most that a clock is set by at once.
    for _ in 0..<2 { bench.setWallClock(by: 1e10) }
    bench.fire(awaited: false)
    #expect(bench.take() != nil)
  }

  @Test(
    .guarantee("G5", "G6"),
    arguments: [
      (.every(1).tolerance(.milliseconds(20)), 1_000, 20), (.every(1), 5, 5),
      (.every(.milliseconds(10)), 100, 5), (.after(.milliseconds(10)), 100, 100),
    ] as [(TimerSchedule, Int, Int)])
  func `A filing allows for the tolerance, but for no more than half the interval`(
    schedule: TimerSchedule, standard: Int, filed: Int
  ) {
    let bench = Workbench(schedule, tolerance: .milliseconds(standard))
    #expect(bench.filing.map { $0.latest - $0.deadline } == Interval(.milliseconds(filed)))
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
      bench.fire(awaited: awaited, at: (bench.deadline ?? .nan) + 0.1)
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
      #expect(bench.tick(late: 50) != nil)
      delays.insert((bench.deadline ?? .nan) - late)
    }
    #expect(delays.count > 15)
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
