import Foundation
import Testing
import TimerScheduling
import TimerSchedulingTesting

/// Long times and many timers, exact to the tick.
@Suite(.timeLimit(.minutes(10))) struct LongTimesTests {
  private let start = Date(timeIntervalSinceReferenceDate: 0)
  private let clock = VirtualClock(settlingTimeout: .seconds(60))
  private let scheduler: TimerScheduler

  init() {
    scheduler = TimerScheduler(clock: clock)
  }

  @Test func `A day of a timer of one second`() async {
    await #expect(tickCount(of: .seconds(1), in: .seconds(86_400)) == 86_400)
  }

  @Test func `A year of a timer of one minute`() async {
    await #expect(tickCount(of: .seconds(60), in: .seconds(365 * 86_400)) == 365 * 1440)
  }

  /// Counts the ticks that a loop gets, each of which must come when it is due, with none missed.
  private func tickCount(of interval: Duration, in duration: Duration) async -> Int {
    let timer = scheduler.timer(on: .every(interval))
    let seconds = Double(interval.components.seconds)
    let firings = timer.firings
    let loop = clock.task { [start] in
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
    return (try? await loop.value) ?? -1
  }
}
