import Foundation
import TestSupport
import Testing
import TimerScheduling

/// The programs of the article Recipes in real time: the order of what happens, and that nothing is early.
@Suite(.limited, .guarantee("G143")) struct RealTimeRecipeTests {
  private struct Failure: Error {}

  private let log = Journal<Int>()
  private let scheduler = TimerScheduler()
  private let start: TimerClock.Instant

  init() { start = scheduler.clock.now }

  private var elapsed: Duration { start.duration(to: scheduler.clock.now) }

  @Test func `A debouncer passes on the last value`() async {
    let debouncer = Debouncer<Int>(after: .milliseconds(50), on: scheduler) { log.note($0) }
    for value in 0..<10 { await debouncer.send(value) }
    while await log.next() != 9 {}
    #expect(elapsed >= .milliseconds(50))
    #expect(log.entries == log.entries.sorted())
  }

  @Test func `A throttle passes on the first value, and the newest after an interval`() async {
    let throttle = Throttle<Int>(every: .milliseconds(50), on: scheduler) { log.note($0) }
    await throttle.send(0)
    #expect(await log.next() == 0)
    for value in 1..<10 { await throttle.send(value) }
    while await log.next() != 9 {}
    #expect(elapsed >= .milliseconds(50))
    #expect(log.entries == log.entries.sorted())
  }

  @Test func `A poller ends at its limit`() async {
    await #expect(throws: TimeoutError(limit: .milliseconds(30))) {
      try await poll(every: .milliseconds(10), limit: .milliseconds(30), on: scheduler) { false }
    }
    #expect(elapsed >= .milliseconds(30))
  }

  @Test func `A heartbeat beats at most once in each interval`() async {
    await beat(every: .milliseconds(10), count: 5, on: scheduler) { log.note($0) }
    #expect(elapsed >= .milliseconds(50))
    #expect(log.entries.count == 5)
  }
}
