import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingTesting

/// Long times and many timers, exact to the tick.
@Suite(.limited, .guarantee("G141")) struct LongTimesTests: VirtualTimeSuite {
  let time = VirtualTime()

  @Test(arguments: [(1, 86_400), (60, 365 * 1440)])
  func `A day of a timer of one second, and a year of one of a minute`(seconds: Int, most: Int) async {
    let count = size(2_000, full: most)
    await #expect(tickCount(of: .seconds(seconds), in: .seconds(seconds * count)) == count)
  }

  // Half of them run actions, a quarter are streams that are due later, and a quarter have no listener.
  // Beside them loops listen, in full size a thousand.
  @Test func `A million timers of all kinds in a quarter of an hour`() async {
    let (exact, wrong) = (Counter(), Counter())
    @Sendable func note(_ tick: TimerTick, _ due: Int64) {
      let isExact =
        Deadline(tick.date) == Deadline(start) + Interval(nanoseconds: due) && tick.lateness == .zero
      (isExact ? exact : wrong).add()
    }
    var streams: [AsyncStream<Date>] = []
    var handles: [ScheduledTimer] = []
    let (count, loopCount) = (rounds(1_000_000), rounds(1_000))
    for number in 0..<count {
      // A hundred thousand moments, each of them ten times.
      let delay = Duration.milliseconds(9 * (1 + number * 7919 % 100_000))
      let due = delay.components.seconds * 1_000_000_000 + delay.components.attoseconds / 1_000_000_000
      switch number % 4 {
      case 0: streams.append(scheduler.ticks(on: .after(.seconds(900) + delay)))
      case 1: handles.append(scheduler.timer(on: .every(delay).limit(1)))
      case 2: handles.append(scheduler.schedule(.every(delay).limit(1)) { note($0, due) })
      default: scheduler.schedule(.after(delay)) { note($0, due) }
      }
    }
    let loops = (1...loopCount).map { number in
      let firings = scheduler.timer(on: .every(.seconds(number))).firings
      return clock.addTask {
        for await tick in firings { note(tick, Int64((tick.index + 1) * number) * 1_000_000_000) }
      }
    }
    await clock.advance(by: .seconds(900))
    #expect(wrong.value == 0)
    #expect(exact.value == count / 2 + (1...loopCount).reduce(0) { $0 + 900 / $1 })
    #expect(await scheduler.timerCount == count / 2 + loopCount)
    for loop in loops { loop.cancel() }
    withExtendedLifetime((streams, handles)) {}
  }

  /// Counts the ticks that a loop gets, each of which must come when it is due, with none missed.
  private func tickCount(of interval: Duration, in duration: Duration) async -> Int {
    let timer = scheduler.timer(on: .every(interval))
    let seconds = Double(interval.components.seconds)
    let firings = timer.firings
    let loop = clock.addTask { [start] in
      var count = 0
      for await tick in firings {
        count += 1
        let due = start + Double(count) * seconds
        guard tick.date == due, tick.scheduledDate == due, tick.missedCount == 0 else { return -1 }
      }
      return count
    }
    await clock.advance(by: duration)
    timer.cancel()
    return await loop.value
  }
}
