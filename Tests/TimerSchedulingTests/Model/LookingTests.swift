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
    .every(.seconds(5)).until(start + 60).jitter(upTo: .milliseconds(100)), .after(.seconds(1_800)),
    .after(.seconds(1_800)).tolerance(.seconds(90)), .after(.seconds(5)).until(start + 60),
    .after(.seconds(5)).limit(2),
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

  @Test(arguments: [TimerSchedule.after(.seconds(5)), .at(start + 5), .after(.seconds(5)).until(start + 60)])
  func `A timer of one tick has no schedule once its deadline has passed`(schedule: TimerSchedule) async {
    let timer = scheduler.schedule(schedule) { [clock] _ in try await clock.sleep(for: .seconds(60)) }
    await clock.advance(by: .seconds(6))
    #expect(timer.schedule == nil && timer.state == .scheduled)
  }

  // seconds    0    2    12       15
  // delay      [====     ==========)
  @Test func `A delay stays the same while time passes, in a pause and after it`() async {
    let timer = scheduler.schedule(.after(.seconds(5))) { _ in }
    await clock.advance(by: .seconds(2))
    timer.pause()
    #expect(timer.schedule == .after(.seconds(5)) && timer.remainingTime == .seconds(3))
    await clock.advance(by: .seconds(10))
    timer.resume()
    #expect(timer.schedule == .after(.seconds(5)) && timer.remainingTime == .seconds(3))
  }

  @Test(arguments: [
    TimerSchedule.after(.seconds(7)).tolerance(.seconds(1)), .at(start + 60), .every(.seconds(9)),
    .after(.seconds(7)).tolerance(.nanoseconds(1_500)), .after(.seconds(9_000)).tolerance(.seconds(5_000)),
  ])
  func `A delay that is set anew has the new schedule, also while it is paused`(schedule: TimerSchedule) {
    for isPaused in [false, true] {
      let timer = scheduler.schedule(.after(.seconds(5))) { _ in }
      if isPaused { timer.pause() }
      timer.reschedule(schedule)
      #expect(timer.schedule == schedule)
      timer.reschedule(.after(.seconds(3)))
      #expect(timer.schedule == .after(.seconds(3)))
    }
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
