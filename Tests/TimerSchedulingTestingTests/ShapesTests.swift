import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingTesting

/// The shapes that tests of timer code have, none of which may lose a tick or hang.
@Suite(.limited, .guarantee("G122")) struct ShapesTests {
  private let start = Date(timeIntervalSinceReferenceDate: 0)

  @Test(arguments: 0..<100) func `A loop in a task made just before gets every tick`(round: Int) async {
    let clock = VirtualClock(settlingTimeout: .seconds(60))
    let scheduler = TimerScheduler(clock: clock)
    let log = Journal<Date>()
    let ticks = scheduler.ticks(every: 1)
    let task = Task {
      for await tick in ticks { log.note(tick) }
    }
    await clock.advance(by: .seconds(5))
    #expect(log.entries == (1...5).map { start + Double($0) })
    task.cancel()
    await task.value
  }

  @Test func `The task that advances pulls ticks itself`() async {
    let lines = Journal<String>()
    let clock = VirtualClock(settlingTimeout: .milliseconds(20), report: lines.note)
    let scheduler = TimerScheduler(clock: clock)
    var ticks = scheduler.ticks(every: 1, name: "pulled").makeAsyncIterator()
    for second in 1...1000 {
      await clock.advance(by: .seconds(1))
      #expect(await ticks.next() == start + Double(second))
    }
    #expect(lines.entries.count == 1)
    #expect(lines.entries.first?.contains("pulled") == true)
  }

  @Test func `A single value asked for in a child task leaves the clock free`() async {
    let lines = Journal<String>()
    let clock = VirtualClock(settlingTimeout: .seconds(2), report: lines.note)
    let scheduler = TimerScheduler(clock: clock)
    let ticks = scheduler.ticks(every: 1, name: "single")
    async let first = ticks.first { _ in true }
    await clock.advance(by: .seconds(3))
    #expect(await first == start + 1)
    await clock.advance(by: .seconds(1000))
    #expect(clock.date == start + 1003)
    #expect(lines.entries.count <= 1)
    withExtendedLifetime(ticks) {}
  }
}
