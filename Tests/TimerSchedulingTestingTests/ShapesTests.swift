import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingTesting

/// The shapes that tests of timer code have, none of which may lose a tick or hang.
@Suite(.limited, .guarantee("G129")) struct ShapesTests {
  @Test(arguments: 0..<100) func `A loop in a task made just before gets every tick`(round: Int) async {
    let (time, log) = (VirtualTime(), Journal<Date>())
    let ticks = time.scheduler.ticks(every: 1)
    let task = Task {
      for await tick in ticks { log.note(tick) }
    }
    await time.clock.advance(by: .seconds(5))
    #expect(log.entries == (1...5).map { time.start + Double($0) })
    task.cancel()
    await task.value
  }

  @Test func `The task that advances pulls ticks itself`() async {
    let time = VirtualTime.reporting(settlingTimeout: .seconds(2))
    var ticks = time.scheduler.ticks(every: 1, name: "pulled").makeAsyncIterator()
    for second in 1...1000 {
      await time.clock.advance(by: .seconds(1))
      #expect(await ticks.next() == time.start + Double(second))
    }
    #expect(time.lines.entries.isEmpty)
  }

  @Test func `A single value asked for in a child task leaves the clock free`() async {
    let time = VirtualTime.reporting(settlingTimeout: .seconds(2))
    let ticks = time.scheduler.ticks(every: 1, name: "single")
    async let first = ticks.first { _ in true }
    await time.clock.advance(by: .seconds(3))
    #expect(await first == time.start + 1)
    await time.clock.advance(by: .seconds(1000))
    #expect(time.clock.date == time.start + 1003)
    #expect(time.lines.entries.isEmpty)
    withExtendedLifetime(ticks) {}
  }
}
