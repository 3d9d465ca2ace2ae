import Dispatch
import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingTesting

/// A user object whose release calls back into the scheduler, and into the timer that has held it.
private final class ReentrantObject: Sendable, Error {
  private let scheduler: TimerScheduler
  private let timer: ScheduledTimer
  private let holder: Box<ScheduledTimer>
  private let releases: Journal<Void>

  init(_ scheduler: TimerScheduler, heldBy holder: Box<ScheduledTimer>, _ releases: Journal<Void>) {
    self.scheduler = scheduler
    self.holder = holder
    self.releases = releases
    timer = scheduler.timer(on: .every(1), name: "the object's own")
  }

  deinit {
    // User code must not run on the timer queue, and under a lock these calls would wait for ever.
    dispatchPrecondition(condition: .notOnQueue(scheduler.executor.queue))
    for timer in [holder.value, timer].compactMap(\.self) {
      timer.pause()
      timer.fire()
      timer.reschedule(.every(20))
      timer.resume()
      _ = (timer.state, timer.remainingTime, timer.failure)
      timer.cancel()
    }
    scheduler.schedule(.every(1), name: "heir", owner: TimerOwner()) { _, _ in }.cancel()
    _ = scheduler.ticks(every: 1, name: "job")
    releases.note()
  }
}

private final class OwnerOfObject: Sendable {
  private let object: ReentrantObject
  init(_ object: ReentrantObject) { self.object = object }
}

/// No user value is released, and no user code runs, under a lock or on the timer queue.
@Suite(.tags(.threads), .limited, .guarantee("G28", "G90")) struct ReentrancyTests: VirtualTimeSuite {
  let time = VirtualTime.manual()
  /// The timer that holds the object.
  private let holder = Box<ScheduledTimer>()
  private let releases = Journal<Void>()

  private func makeObject() -> ReentrantObject { ReentrantObject(scheduler, heldBy: holder, releases) }

  /// Makes an action that captures an object, which nothing else holds.
  private func action(isFailing: Bool) -> @isolated(any) @Sendable (TimerTick) async throws -> Void {
    let object = makeObject()
    return { _ in try withExtendedLifetime(object) { if isFailing { throw CancellationError() } } }
  }

  private func rule() -> Answering {
    let object = makeObject()
    return Answering { date in withExtendedLifetime(object) { date + 10 } }
  }

  enum End: CaseIterable {
    case cancel, cancelAll, replace, limit, failure, owner, shutdown
  }

  @Test(.hazard("Y6"), arguments: End.allCases)
  func `An action's captured values are released outside, whatever ends the timer`(end: End) async {
    var owner: TimerOwner? = TimerOwner()
    let schedule = TimerSchedule.every(1).limit(end == .limit ? 1 : .max)
    let timer =
      if end == .owner, let owner {
        scheduler.schedule(schedule, name: "job", owner: owner) {
          [action = action(isFailing: false)] _, tick in
          try await action(tick)
        }
      } else {
        scheduler.schedule(
          schedule, name: "job", onError: .finish, perform: action(isFailing: end == .failure))
      }
    holder.value = timer
    switch end {
    case .cancel: timer.cancel()
    case .cancelAll: await scheduler.cancelAll()
    case .replace: scheduler.schedule(.every(1), name: "job") { _ in }
    case .limit, .failure: await clock.advance(by: .seconds(1))
    case .owner: owner = nil
    case .shutdown: scheduler.shutdown()
    }
    await releases.next()
    #expect(timer.state != .scheduled)
  }

  @Test(.hazard("Y6"))
  func `A rule is released outside by a cancellation, another schedule, and a shutdown`() async {
    let timer = scheduler.timer(on: .rule(rule()), name: "a")
    holder.value = timer
    timer.cancel()
    await releases.next()
    let rescheduled = scheduler.timer(on: .rule(rule()), name: "b")
    holder.value = rescheduled
    rescheduled.reschedule(.every(1))
    await releases.next()
    // One that isn't taken up.
    timer.reschedule(.rule(rule()))
    await releases.next()
    let shutDown = scheduler.timer(on: .rule(rule()), name: "c")
    holder.value = shutDown
    scheduler.shutdown()
    await releases.next()
    #expect(shutDown.state == .finished(.schedulerShutDown))
  }

  @Test func `A rule may call back when it is asked, for a timer with an owner, too`() async {
    let owner = TimerOwner()
    let box = Box<ScheduledTimer>()
    let calls = Answering { [scheduler] date in
      scheduler.schedule(.every(1), name: "job", owner: owner) { _, _ in }.cancel()
      box.value?.pause()
      return date + 10
    }
    box.value = scheduler.timer(on: .rule(calls), name: "job", owner: owner)
    let ticks = box.value?.ticks
    await clock.advance(by: .seconds(10))
    var iterator = ticks?.makeAsyncIterator()
    box.value?.reschedule(.rule(calls))
    box.value?.cancel()
    #expect(await iterator?.next() == nil)
  }

  @Test func `Values that many runs and cancellations release aren't released on the timer queue`() async {
    let scheduler = TimerScheduler()
    let queue = scheduler.executor.queue
    let releases = Journal<Void>()
    let count = 5_000
    for number in 0..<count {
      let probe = ReleaseProbe {
        dispatchPrecondition(condition: .notOnQueue(queue))
        releases.note()
      }
      let delay = Duration.microseconds(number % 2 == 0 ? 50 : 3_600_000_000)
      scheduler.schedule(.after(delay)) { _ in withExtendedLifetime(probe) {} }
      if number % 100 == 99 {
        await scheduler.waitUntilActionsHaveEnded()
        await scheduler.cancelAll()
      }
    }
    await releases.next(count)
  }

  @Test(.hazard("Y6", "Z5")) func `An owner's release may call back`() async {
    var owner: OwnerOfObject? = OwnerOfObject(makeObject())
    let timer = owner.map { owner in scheduler.schedule(.every(1), owner: owner) { _, _ in } }
    holder.value = timer
    owner = nil
    await releases.next()
    await clock.advance(by: .seconds(1))
    #expect(await timer?.waitUntilFinished() == .ownerReleased)
  }

  @Test(.hazard("Y6")) func `An owner whose last reference is an action's run may call back`() async {
    let latch = Latch()
    let runs = Journal<TimerTick>()
    do {
      let owner = OwnerOfObject(makeObject())
      holder.value = scheduler.schedule(.every(1), owner: owner) { _, tick in
        runs.note(tick)
        await latch.wait()
      }
      await clock.advance(by: .seconds(1))
      await runs.next()
    }
    latch.open()
    await releases.next()
  }

  @Test(.hazard("Y6"))
  func `An error that is replaced, and one that stays, may call back when released`() async {
    var timer: ScheduledTimer? = scheduler.schedule(.every(1)) { [scheduler, holder, releases] _ in
      throw ReentrantObject(scheduler, heldBy: holder, releases)
    }
    holder.value = timer
    await clock.advance(by: .seconds(1))
    await scheduler.waitUntilActionsHaveEnded()
    #expect(timer?.failure is ReentrantObject)
    await clock.advance(by: .seconds(1))
    // That of the first run, which cancels the timer.
    await releases.next()
    await scheduler.waitUntilActionsHaveEnded()
    #expect(timer?.state == .finished(.cancelled))
    holder.value = nil
    timer = nil
    await scheduler.waitForQueue()
    await releases.next()
  }

  @Test func `Values that a dropped scheduler's last timer held may call back`() async {
    do {
      let other = VirtualClock.manual().kept().makeScheduler()
      let object = makeObject()
      other.schedule(.every(1)) { _ in withExtendedLifetime(object) {} }.cancel()
    }
    await releases.next()
  }

  @Test func `A handler of a cancelled run may call back`() async {
    let runs = Journal<TimerTick>()
    let queue = scheduler.executor.queue
    for isForAll in [false, true] {
      let timer = scheduler.schedule(.every(1), name: "job") { [scheduler, releases] tick in
        await withTaskCancellationHandler {
          runs.note(tick)
          try? await Task.sleep(for: .seconds(3600))
        } onCancel: {
          dispatchPrecondition(condition: .notOnQueue(queue))
          scheduler.schedule(.every(1), name: "job") { _ in }
          releases.note()
        }
      }
      await clock.advance(by: .seconds(1))
      await runs.next()
      if isForAll { await scheduler.cancelAll() } else { timer.cancel() }
      await releases.next()
    }
  }
}
