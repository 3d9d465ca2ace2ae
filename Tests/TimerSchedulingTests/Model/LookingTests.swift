import Dispatch
import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingTesting

/// The schedule that a timer reports, and the snapshots of all timers.
@Suite(.limited) struct LookingTests: VirtualTimeSuite {
  let time = VirtualTime()

  static let start = Date(timeIntervalSinceReferenceDate: 0)

  private struct Never: TickRule, Hashable {
    func nextTick(after date: Date) -> Date? { date + 3_600 }
  }

  @Test(arguments: [
    (TimerSchedule.every(.seconds(5)), "every 5 s"),
    (.every(.seconds(5), starting: .immediately), "every 5 s"),
    (
      .every(.seconds(60), starting: .aligned).tolerance(.seconds(1)),
      "every 1 m, starting aligned, tolerance 1 s"
    ),
    (
      .every(.seconds(60), starting: .aligned(offset: .seconds(-10))),
      "every 1 m, starting aligned offset 50 s"
    ),
    (.every(.seconds(5), starting: .at(start + 60)), "every 5 s, starting at 2001-01-01T00:01:00Z"),
    (.every(.seconds(5)).missedTicks(.burst).limit(3), "every 5 s, missed ticks burst, limit 3"),
    (
      .every(.seconds(5)).until(start + 60).jitter(upTo: .milliseconds(100)),
      "every 5 s, until 2001-01-01T00:01:00Z, jitter 100 ms"
    ),
    (.at(start + 60), "at 2001-01-01T00:01:00Z"),
    (.rule(Never()), "rule Never()"),
  ])
  func `A timer says its schedule`(schedule: TimerSchedule, text: String) {
    let timer = scheduler.schedule(schedule) { _ in }
    #expect(timer.schedule?.description == text)
  }

  @Test func `A timer says its new schedule, also while it is paused`() async {
    let timer = scheduler.schedule(.every(.seconds(5))) { _ in }
    await clock.advance(by: .seconds(12))
    timer.pause()
    #expect(timer.schedule == .every(.seconds(5)))
    timer.reschedule(.every(.seconds(7)))
    #expect(timer.schedule == .every(.seconds(7)))
  }

  @Test func `A countdown says its schedule`() async throws {
    let countdown = scheduler.countdown(from: .seconds(10), name: "code")
    let timer = try #require(await scheduler.timer(named: "code"))
    #expect(timer.schedule?.description.hasPrefix("countdown from") == true)
    countdown.cancel()
  }

  @Test func `A delay isn't kept, and neither is a date that has passed`() async {
    let delay = scheduler.schedule(.after(.seconds(5))) { _ in }
    #expect(delay.schedule == nil)
    let timer = scheduler.schedule(.at(Self.start + 5)) { _ in }
    await clock.advance(by: .seconds(6))
    #expect(timer.schedule == nil)
  }

  @Test func `Snapshots are taken off the scheduler's queue`() async {
    for name in ["a", "b", "c"] { scheduler.schedule(.every(.seconds(1)), name: name) { _ in } }
    let blockade = DispatchSemaphore(value: 0)
    scheduler.executor.queue.async { @Sendable in blockade.wait() }
    let names = await scheduler.snapshots.compactMap(\.name)
    blockade.signal()
    #expect(names.sorted() == ["a", "b", "c"])
  }
}
