import Dispatch
import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingTesting

/// Finished timers are gone, with everything they have held.
@Suite(.limited, .guarantee("G76", "G89", "G127")) struct ReleaseTests: VirtualTimeSuite {
  let time = VirtualTime.manual()

  enum End: CaseIterable {
    case cancelled, completed, replaced, ownerReleased, failed, schedulerShutDown
  }

  @Test(.hazard("M8"), arguments: End.allCases, [false, true])
  func `An action's captured values are released with its timer's end`(end: End, hasRun: Bool) async {
    let releases = Journal<Void>()
    var owner: TimerOwner? = TimerOwner()
    let timer: ScheduledTimer
    do {
      let captured = ReleaseProbe { releases.note() }
      let schedule = TimerSchedule.every(1).limit(end == .completed ? 1 : .max)
      let isFailing = end == .failed
      timer = scheduler.schedule(
        schedule, name: "job", owner: owner ?? TimerOwner(), onError: .finish
      ) { _, _ in
        try withExtendedLifetime(captured) { if isFailing { throw CancellationError() } }
      }
    }
    let endsByItself = end == .completed || end == .failed
    if hasRun || endsByItself {
      await clock.advance(by: .seconds(1))
      await scheduler.waitUntilActionsHaveEnded()
    }
    if !endsByItself { #expect(releases.entries.isEmpty) }
    switch end {
    case .completed, .failed: break
    case .cancelled: timer.cancel()
    case .replaced: scheduler.schedule(.every(1), name: "job", owner: owner ?? TimerOwner()) { _, _ in }
    case .ownerReleased: owner = nil
    case .schedulerShutDown: await scheduler.shutdownAndWait()
    }
    #expect(await timer.waitUntilFinished() != nil)
    // The handle still holds the rest of the timer.
    await releases.next()
    #expect(await scheduler.timerCount == (end == .replaced ? 1 : 0))
    #expect(await scheduler.filedCount == (end == .replaced ? 1 : 0))
    withExtendedLifetime(timer) {}
  }

  private final class Object: Sendable {}

  /// Ends of timers that a task waits for. After the wait, an object that only the action has captured is
  /// gone.
  enum Wait: CaseIterable {
    case scope, shutdown, shutdownOnQueue, finish, failure, cancel, cancelAll, cancelRun
  }

  @Test(.tags(.threads), .guarantee("G88"), arguments: Wait.allCases)
  func `When a wait for the end is over, the action's captured values are released`(by wait: Wait) async {
    var alive = 0
    for _ in 0..<rounds(300) {
      weak var object: Object?
      let schedule = { (scheduler: TimerScheduler, runs: Journal<Int>) in
        let captured = Object()
        object = captured
        let isOnce = wait == .finish || wait == .failure
        let schedule = isOnce ? TimerSchedule.after(.zero) : .every(.microseconds(50))
        return scheduler.schedule(schedule, onError: .finish) { tick in
          runs.note(tick.index)
          if wait == .cancelRun { try? await Task.sleep(for: .seconds(3600)) }
          try withExtendedLifetime(captured) { if wait == .failure { throw CancellationError() } }
        }
      }
      let runs = Journal<Int>()
      switch wait {
      case .scope:
        await withTimerScheduler { scheduler in
          _ = schedule(scheduler, runs)
          _ = await runs.next()
        }
      case .finish, .failure:
        await schedule(TimerScheduler(configuration: .silent), runs).waitUntilFinished()
      case .shutdown, .shutdownOnQueue, .cancel, .cancelAll, .cancelRun:
        let scheduler = TimerScheduler(configuration: .silent)
        let timer = schedule(scheduler, runs)
        _ = await runs.next()
        if wait == .shutdown { await scheduler.shutdownAndWait() }
        if wait == .shutdownOnQueue {
          scheduler.shutdown()
          // The timer has ended on the queue by then, and its values are released elsewhere.
          await scheduler.waitForQueue()
        }
        if wait == .cancelAll { await scheduler.cancelAll() }
        if wait != .shutdown { await timer.cancelAndWait() }
      }
      if object != nil { alive += 1 }
    }
    #expect(alive == 0)
  }

  private final class Failure: Error {
    private let onRelease: @Sendable () -> Void
    init(_ onRelease: @escaping @Sendable () -> Void) { self.onRelease = onRelease }
    deinit { onRelease() }
  }

  @Test(.tags(.threads), arguments: [false, true])
  func `An error isn't released on the scheduler's queue, even if its run ends during a pass`(
    isRepeating: Bool
  ) async {
    let key = DispatchSpecificKey<Bool>()
    let releases = Lock((all: 0, onQueue: 0))
    let (rounds, count) = (rounds(500), 200)
    for _ in 0..<rounds {
      let scheduler = TimerScheduler(configuration: .silent)
      scheduler.executor.queue.setSpecific(key: key, value: true)
      let date = Date.now + 0.001
      for _ in 0..<count {
        let schedule = isRepeating ? TimerSchedule.every(.seconds(1), starting: .at(date)) : .at(date)
        scheduler.schedule(schedule, onError: .finish) { _ in
          throw Failure {
            let isOnQueue = DispatchQueue.getSpecific(key: key) == true
            releases.withLock { $0 = ($0.all + 1, $0.onQueue + (isOnQueue ? 1 : 0)) }
          }
        }
      }
      while await scheduler.timerCount > 0 { await Task.yield() }
      await scheduler.shutdownAndWait()
    }
    let ends = releases.withLock { $0 }
    #expect(ends.all > 0 && ends.onQueue == 0)
  }

  @Test(.guarantee("G93")) func `Two hundred thousand timers of one name leave one`() async {
    for _ in 0..<rounds(200_000) { _ = scheduler.timer(on: .every(3600), name: "job") }
    #expect(await scheduler.timerCount == 1)
    #expect(await scheduler.filedCount == 1)
    #expect(scheduler.nameCount == 1)
    #expect(scheduler.timer(named: "job")?.state == .scheduled)
  }
}
