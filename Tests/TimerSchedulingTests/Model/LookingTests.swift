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
    TimerSchedule.every(.seconds(5)), .every(.seconds(60), starting: .aligned).tolerance(.seconds(1)),
    .every(.seconds(60), starting: .aligned(offset: .seconds(-10))), .at(start + 60), .rule(Never()),
    .every(.seconds(5), starting: .at(start + 60)), .every(.seconds(5)).missedTicks(.burst).limit(3),
    .every(.seconds(5)).until(start + 60).jitter(upTo: .milliseconds(100)),
  ])
  func `A timer says its schedule`(schedule: TimerSchedule) {
    #expect(scheduler.schedule(schedule) { _ in }.schedule == schedule)
  }

  @Test func `A timer says its new schedule, also while it is paused`() async {
    let timer = scheduler.schedule(.every(.seconds(5), starting: .immediately)) { _ in }
    await clock.advance(by: .seconds(12))
    timer.pause()
    #expect(timer.schedule == .every(.seconds(5), starting: .immediately))
    timer.reschedule(.every(.seconds(7)))
    #expect(timer.schedule == .every(.seconds(7)))
  }

  @Test func `A timer says its whole limit and its start after ticks and pauses`() async {
    let schedule = TimerSchedule.every(.seconds(5), starting: .at(Self.start + 5)).limit(3)
    let timer = scheduler.schedule(schedule) { _ in }
    await clock.advance(by: .seconds(6))
    timer.pause()
    await clock.advance(by: .seconds(6))
    timer.resume()
    #expect(timer.schedule == schedule)
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
