import Foundation
import TestSupport
import Testing
import TimerScheduling

@Suite(.tags(.realClock), .limited)
struct PunctualityTests {
  @Test(.guarantee("G1")) func `Ten milliseconds for five seconds are never early and don't drift`() async {
    let scheduler = TimerScheduler()
    let start = ContinuousClock.now
    let timer = scheduler.timer(on: .every(.milliseconds(10)).limit(500))
    var deadlines = 0
    for await tick in timer.firings {
      deadlines += tick.missedCount + 1
      let elapsed = ContinuousClock.now - start
      // The timer was made no sooner than `start`.
      #expect(elapsed >= .milliseconds(10) * deadlines)
      #expect(tick.lateness >= .zero)
      let fired = elapsed - tick.lateness
      #expect(fired >= .milliseconds(10) * deadlines)
      // The deadline is the tick's place on the grid, however late the tick before it was.
      #expect(tick.date.timeIntervalSince(tick.scheduledDate) <= tick.lateness / .seconds(1) + 1e-6)
    }
    #expect(deadlines >= 500)
  }

  @Test(.guarantee("G86"))
  func `Ticks keep the time of the wall clock, though their scheduler isn't held`() async {
    let before = Date()
    var last = before
    for await date in TimerScheduler().ticks(every: 0.02, limit: 5) {
      #expect(date >= last)
      #expect(date <= Date())
      last = date
    }
    #expect(last >= before + 0.1)
  }

  @Test func `An aligned timer waits for its second on the wall clock`() async {
    var seconds: [Double] = []
    for await date in TimerScheduler().ticks(every: 0.25, starting: .aligned, limit: 3) {
      seconds.append(date.timeIntervalSince1970)
    }
    #expect(seconds == seconds.sorted())
    #expect(Set(seconds.map { ($0 / 0.25).rounded(.down) }).count == 3)
  }

  @Test(.guarantee("G1")) func `A timer for a date comes no sooner`() async {
    let date = Date() + 0.05
    for await tick in TimerScheduler().ticks(on: .at(date)) {
      #expect(tick >= date)
      #expect(Date() >= date)
    }
  }

  // Nearly all deadlines are missed, and don't count towards the limit.
  @Test(.guarantee("G25")) func `The smallest interval ticks as often as it is asked to, and ends`() async {
    var last = Date.distantPast
    var count = 0
    for await date in TimerScheduler().ticks(every: .nanoseconds(1), limit: 2000) {
      #expect(date >= last)
      last = date
      count += 1
    }
    #expect(count == 2000)
  }
}
