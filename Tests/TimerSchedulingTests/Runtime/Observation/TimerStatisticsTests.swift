import Dispatch
import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingTesting

@Suite(.limited, .guarantee("G70")) struct TimerStatisticsTests: VirtualTimeSuite {
  let time = VirtualTime()

  private struct Failure: Error {}

  @Test func `A new scheduler has done nothing`() async {
    let statistics = await scheduler.statistics
    #expect(statistics.live == [0, 0, 0])
    #expect(statistics.totals == [0, 0, 0])
    #expect(statistics.wakeupCount == 0)
    #expect(statistics.droppedEventCount == 0)
    #expect(statistics.lateness.count == 0)
    #expect(statistics.lateness.max == .zero)
  }

  @Test(.guarantee("G71")) func `The threads of a process are counted once for all its schedulers`() async {
    await #expect(processExitsWith: .success) {
      let release = DispatchSemaphore(value: 0)
      let count = 100 + ProcessInfo.processInfo.activeProcessorCount
      let schedulers = [TimerScheduler(), TimerScheduler()]
      for number in 0..<count {
        schedulers[number % 2].schedule(.after(.zero)) { _ in wait(for: release) }
      }
      // All threads that there may be are blocked, and the other actions wait.
      while TimerScheduler.sharedThreads.blockedCount < count - 40 {
        try await Task.sleep(for: .milliseconds(1))
      }
      while TimerScheduler.sharedThreads.waitingRunCount < 30 { try await Task.sleep(for: .milliseconds(1)) }
      for _ in 0..<count { release.signal() }
      while TimerScheduler.sharedThreads != (0, 0) { try await Task.sleep(for: .milliseconds(1)) }
    }
  }

  @Test func `Ticks, missed deadlines and failures are counted to the last`() async {
    scheduler.schedule(.every(1)) { _ in }
    scheduler.schedule(.every(2)) { tick in
      if tick.index.isMultiple(of: 2) { throw Failure() }
    }
    let unheard = scheduler.timer(on: .every(1))
    await clock.advance(by: .seconds(10))
    var statistics = await scheduler.statistics
    #expect(statistics.totals == [15, 0, 3])
    // No tick of the third was taken, and so nothing is told of it. Its first listener gets the newest.
    var iterator = unheard.ticks.makeAsyncIterator()
    _ = await iterator.next()
    statistics = await scheduler.statistics
    #expect(statistics.totals == [16, 9, 3])
    let ticks = await scheduler.snapshots.map(\.tickCount).reduce(0, +)
    let missed = await scheduler.snapshots.map(\.missedCount).reduce(0, +)
    #expect(ticks == 16)
    #expect(missed == 9)
  }

  @Test func `A count that has come to its greatest number stays there`() async {
    let clock = VirtualClock.manual()
    let scheduler = clock.makeScheduler()
    let timers = (0..<2).map { _ in scheduler.timer(on: .every(.nanoseconds(1))) }
    // Each timer misses five of the nine quintillion that can be counted.
    await clock.stall(for: .seconds(5_000_000_000))
    for timer in timers {
      var firings = timer.firings.makeAsyncIterator()
      #expect(await firings.next()?.missedCount ?? 0 > Int.max / 2)
    }
    #expect(await scheduler.statistics.totals == [2, .max, 0])
  }

  @Test func `An action counts as running while it does`() async {
    let (latch, runs) = (Latch(), Journal<TimerTick>())
    let manual = VirtualClock.manual()
    let scheduler = manual.makeScheduler()
    scheduler.schedule(.every(1)) { tick in
      runs.note(tick)
      await latch.wait()
      throw Failure()
    }
    #expect(await scheduler.snapshots.map(\.isRunning) == [false])
    await manual.advance(by: .seconds(1))
    _ = await runs.next()
    #expect(await scheduler.statistics.runningCount == 1)
    #expect(await scheduler.snapshots.map(\.isRunning) == [true])
    #expect(await scheduler.snapshots.map(\.failureCount) == [0])
    latch.open()
    await scheduler.waitUntilActionsHaveEnded()
    #expect(await scheduler.statistics.runningCount == 0)
    #expect(await scheduler.statistics.failureCount == 1)
    #expect(await scheduler.snapshots.map(\.failureCount) == [1])
  }

  // seconds    0    1    2    3    4    5
  // run             [====================…
  // missed          0    0    1    2    3      the newest deadline's tick is yet to come
  @Test(arguments: [
    (MissedTickBehavior.skip, [0, 0, 1, 2, 3]), (.delay, [0, 0, 1, 2, 3]), (.burst, [0, 0, 0, 0, 0]),
  ])
  func `Deadlines that pass while an action runs count as missed at once`(
    behavior: MissedTickBehavior, counts: [Int]
  ) async {
    let (latch, runs) = (Latch(), Journal<TimerTick>())
    let manual = VirtualClock.manual()
    let scheduler = manual.makeScheduler()
    let timer = scheduler.schedule(.every(1).missedTicks(behavior)) { tick in
      runs.note(tick)
      await latch.wait()
    }
    for (second, count) in counts.enumerated() {
      await manual.advance(by: .seconds(1))
      if second == 0 { _ = await runs.next() }
      #expect(await scheduler.snapshots.map(\.missedCount) == [count])
    }
    timer.pause()
    await manual.advance(by: .seconds(5))
    #expect(await scheduler.snapshots.map(\.missedCount) == [counts[4]])
    timer.resume()
    latch.open()
    // The tick after the run says the same.
    #expect(await runs.next()?.missedCount == counts[4])
    #expect(await scheduler.snapshots.map(\.missedCount) == [counts[4]])
    #expect(await scheduler.statistics.missedCount == counts[4])
  }

  @Test func `Deadlines of a rule and without an action count as missed when the next tick is taken`() async {
    struct Seconds: TickRule {
      func nextTick(after date: Date) -> Date? { date + 1 }
    }
    let (latch, runs) = (Latch(), Journal<TimerTick>())
    let manual = VirtualClock.manual()
    let scheduler = manual.makeScheduler()
    let timers = [
      scheduler.schedule(.rule(Seconds())) { tick in
        runs.note(tick)
        await latch.wait()
      },
      scheduler.timer(on: .every(1)),
    ]
    await manual.advance(by: .seconds(1))
    _ = await runs.next()
    await manual.advance(by: .seconds(3))
    #expect(await scheduler.snapshots.map(\.missedCount) == [0, 0])
    latch.open()
    #expect(await runs.next()?.missedCount == 2)
    #expect(await scheduler.snapshots.map(\.missedCount).max() == 2)
    withExtendedLifetime(timers) {}
  }

  @Test func `Lateness is told for all timers and for each`() async {
    let clock = VirtualClock.manual()
    let scheduler = clock.makeScheduler()
    let timers = [2.0, 3].map { scheduler.timer(on: .every($0)) }
    await clock.stall(for: .seconds(3.5))
    let lateness = await scheduler.statistics.lateness
    #expect(lateness.count == 2)
    #expect(lateness.max == .seconds(1.5) && lateness.p50 >= .seconds(0.5) && lateness.p50 < .seconds(0.6))
    #expect(await Set(scheduler.snapshots.map(\.lastLateness)) == [.seconds(1.5), .seconds(0.5)])
    withExtendedLifetime(timers) {}
  }

  @Test(.tags(.threads), .guarantee("G52"))
  func `A run that was waited for isn't counted as running`() async {
    let scheduler = TimerScheduler()
    var stale = 0
    for _ in 0..<5_000 {
      let timer = scheduler.schedule(.every(3600)) { _ in await Task.yield() }
      timer.fire()
      await timer.cancelAndWait()
      stale += scheduler.runningCount
    }
    #expect(stale == 0)
  }
}

private func wait(for semaphore: DispatchSemaphore) { semaphore.wait() }
