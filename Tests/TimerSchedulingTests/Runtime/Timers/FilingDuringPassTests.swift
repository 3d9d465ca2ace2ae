import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingTesting

/// Threads that file timers which are already due, while time stands still.
@Suite(.tags(.threads), .limited, .guarantee("G111")) struct FilingDuringPassTests {
  // Fails if a pass doesn't read the earliest deadlines again after it has published them.
  @Test func `A timer that is filed after a pass has visited its shard is fired by the same pass`() async {
    let clock = InterruptedClock()
    let scheduler = clock.makeScheduler()
    let late = Box<ScheduledTimer>()
    clock.interruptNextPass { late.value = scheduler.schedule(.after(.zero)) { _ in } }
    scheduler.schedule(.after(.zero)) { _ in }
    // The pass runs on the scheduler's queue, and has ended when the scheduler answers.
    #expect(await scheduler.filedCount == 0)
    await scheduler.waitUntilActionsHaveEnded()
    #expect(late.value?.state == .finished(.completed))
  }

  // Fails if a pass reads only the deadlines again after it has published them.
  @Test(.guarantee("G82"))
  func `The first owner to check is noticed by a pass that has just looked for owners`() async {
    let clock = InterruptedClock()
    let scheduler = clock.makeScheduler()
    let owner = Box<ReleaseProbe>()
    clock.interruptNextPass {
      let object = ReleaseProbe()
      owner.value = object
      scheduler.schedule(.after(7200), owner: object) { _, _ in }
    }
    // The owner's timer is later, so the deadlines stay as the pass has read them.
    scheduler.schedule(.after(3600)) { _ in }
    #expect(await scheduler.filedCount == 2)
    owner.value = nil
    for _ in 0..<2 {
      await clock.manual.advance(by: .seconds(1))
      await scheduler.waitUntilActionsHaveEnded()
    }
    #expect(await scheduler.filedCount == 1)
  }

  // Fails if a pass asks for a later wakeup for a timer that is due by now.
  @Test func `A timer that is filed while a pass plans a check of owners is fired by the same pass`() async {
    let clock = InterruptedClock()
    let scheduler = clock.makeScheduler()
    let owner = ReleaseProbe()
    // The first timer of a scheduler also asks the clock.
    scheduler.schedule(.after(3600)) { _ in }
    #expect(await scheduler.filedCount == 1)
    clock.interruptNextOwnerCheck { scheduler.schedule(.after(.zero)) { _ in } }
    scheduler.schedule(.after(7200), owner: owner) { _, _ in }
    #expect(await scheduler.filedCount == 2)
    await scheduler.waitUntilActionsHaveEnded()
    #expect(await scheduler.timerCount == 2)
    withExtendedLifetime(owner) {}
  }

  // Fails if a pass looks for a wall clock that was set back only before it visits the shards.
  @Test(.guarantee("G19"))
  func `A wall clock set back while a pass reads it is noticed for a timer filed just before`() async {
    let clock = InterruptedClock()
    let scheduler = clock.makeScheduler()
    let (ticks, date) = (Journal<Date>(), clock.manual.date)
    clock.interruptNextReadingOfBoth {
      scheduler.schedule(.every(3600, starting: .aligned)) { ticks.note($0.scheduledDate) }
      clock.setWallClock(by: .seconds(-3 * 3600))
    }
    scheduler.schedule(.after(24 * 3600)) { _ in }
    #expect(await scheduler.filedCount == 2)
    // Asking the timer itself would have it follow the clock.
    await clock.manual.advance(by: .seconds(3600))
    await scheduler.waitForQueue()
    await scheduler.waitUntilActionsHaveEnded()
    #expect(ticks.entries == [date - 2 * 3600])
  }

  // Fails if the thread that has asked the rule doesn't announce a pass: the filing itself needs none, as a
  // timer before it is armed.
  @Test func `A wall clock set back while a rule is asked is noticed once its timer is filed`() async {
    let clock = InterruptedClock()
    let scheduler = clock.makeScheduler()
    let earlier = scheduler.schedule(.at(clock.manual.date + 1800)) { _ in }
    let isSetBack = Box<Bool>()
    let rule = Answering { date in
      if isSetBack.value == nil {
        isSetBack.value = true
        clock.setWallClock(by: .seconds(-3 * 3600))
        scheduler.driver.executor.queue.sync { scheduler.driver.makePass() }
      }
      return date + 3600
    }
    let hourly = scheduler.schedule(.rule(rule)) { _ in }
    // The rule is asked again in a task. Nothing is known until it has answered.
    while hourly.remainingTime.map({ $0 > .seconds(3600) }) ?? true { await Task.yield() }
    earlier.cancel()
  }

  // Fails if a pass asks for a later wakeup for timers that were filed after it visited their shards.
  @Test func `A timer that is filed during a pass and due by now is fired`() async {
    let clock = VirtualClock.manual()
    let scheduler = clock.makeScheduler()
    for round in 0..<rounds(5_000) {
      let timers = (0..<3).map { _ in scheduler.schedule(.after(.zero)) { _ in } }
      await clock.advance(by: .zero)
      await scheduler.waitUntilActionsHaveEnded()
      #expect(timers.allSatisfy { $0.state == .finished(.completed) }, "round \(round)")
    }
  }
}
