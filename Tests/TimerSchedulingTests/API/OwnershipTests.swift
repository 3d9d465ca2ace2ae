import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingTesting

@Suite(.tags(.threads), .limited, .guarantee("G78")) struct OwnershipTests: VirtualTimeSuite {
  let time = VirtualTime.manual()

  /// The releases of owners. The scheduler checks owners in tasks, each of which holds an owner for a moment,
  /// so that a test waits for the release if time has moved.
  private let releases = Journal<Void>()

  private func makeOwner() -> ReleaseProbe { ReleaseProbe { [releases] in releases.note() } }

  // MARK: The end of an owner

  @Test(.hazard("M3"), .guarantee("G79", "G82"))
  func `A timer with an owner that is gone delivers no tick, not even one that waited`() async {
    var owner: ReleaseProbe? = makeOwner()
    let streams = owner.map { owner in
      [
        scheduler.ticks(every: 1, owner: owner), scheduler.ticks(every: .seconds(1), owner: owner),
        scheduler.ticks(on: .every(1), owner: owner),
      ]
    }
    let timer = owner.map { scheduler.timer(on: .every(.seconds(1)), owner: $0) }
    let firings = timer?.firings
    await advance(1)
    owner = nil
    await releases.next()
    for stream in streams ?? [] { #expect(await Consumer(stream).next() == nil) }
    var iterator = firings?.makeAsyncIterator()
    #expect(await iterator?.next() == nil)
    #expect(timer?.state == .finished(.ownerReleased))
    #expect(await scheduler.timerCount == 0)
  }

  // Nothing but the loop's task looks for the owner: it waited as the timer fired.
  @Test(.hazard("M3"), .guarantee("G79", "G82"))
  func `A loop that a tick has woken gets none if its owner is gone before the loop goes on`() async {
    let reader = Reader()
    var owner: ReleaseProbe? = makeOwner()
    let timer = owner.map { scheduler.timer(on: .every(1), owner: $0) }
    let next = Task { await reader.next(of: timer?.firings) }
    await clock.waitForConsumers()
    reader.executor.queue.suspend()
    await advance(1)
    owner = nil
    await releases.next()
    reader.executor.queue.resume()
    #expect(await next.value == nil)
    #expect(timer?.state == .finished(.ownerReleased))
  }

  /// A schedule whose rule is released when its timer ends, which `ends` records. Asking the timer would end
  /// it.
  private func schedule(every seconds: Double, _ ends: Journal<Void>) -> TimerSchedule {
    let probe = ReleaseProbe { ends.note() }
    return .rule(Answering { date in withExtendedLifetime(probe) { date + seconds } })
  }

  @Test(.hazard("M4"), .guarantee("G79", "G82"))
  func `A timer is gone within the check interval, though it is far from due or paused`() async {
    // A clock that leaves the checks to the scheduler.
    let clock = InterruptedClock()
    let scheduler = clock.makeScheduler()
    let ends = Journal<Void>()
    var owner: ReleaseProbe? = makeOwner()
    let timers = owner.map { owner in
      (0..<3).map { scheduler.timer(on: schedule(every: 3600, ends), name: "\($0)", owner: owner) }
    }
    timers?[1].pause()
    let stream = owner.map { scheduler.ticks(on: schedule(every: 3600, ends), owner: $0) }
    #expect(await scheduler.timerCount == 4)
    await clock.manual.advance(by: .seconds(0.5))
    owner = nil
    await releases.next()
    await clock.manual.advance(by: .seconds(0.5))
    await ends.next(4)
    #expect(await scheduler.timerCount == 0)
    #expect(scheduler.nameCount == 0)
    #expect(!scheduler.hasOwners)
    for timer in timers ?? [] { #expect(timer.state == .finished(.ownerReleased)) }
    var ticks = stream?.makeAsyncIterator()
    #expect(await ticks?.next() == nil)
    let wakeupCount = clock.manual.wakeupCount
    await clock.manual.advance(by: .seconds(7200))
    #expect(clock.manual.wakeupCount == wakeupCount)
  }

  @Test(.guarantee("G79", "G82"))
  func `A timer without listeners is gone at its deadline, if that is sooner`() async {
    var configuration = TimerScheduler.Configuration()
    configuration.ownerCheckInterval = .seconds(3600)
    let scheduler = TimerScheduler(clock: clock, configuration: configuration)
    let ends = Journal<Void>()
    var owner: ReleaseProbe? = makeOwner()
    let timer = owner.map { scheduler.timer(on: schedule(every: 5, ends), name: "slow", owner: $0) }
    owner = nil
    await clock.advance(by: .seconds(5))
    await ends.next()
    #expect(await scheduler.timerCount == 0)
    #expect(timer?.state == .finished(.ownerReleased))
  }

  @Test(.guarantee("G79", "G82", "G83")) func `No wakeup comes for owners while no timer has one`() async {
    let clock = InterruptedClock()
    let scheduler = clock.makeScheduler()
    let timer = scheduler.timer(on: .every(3600))
    do {
      let owner = ReleaseProbe()
      let owned = scheduler.timer(on: .every(3600), owner: owner)
      await scheduler.waitForQueue()
      await clock.manual.advance(by: .seconds(10))
      #expect(clock.manual.wakeupCount == 10)
      owned.cancel()
      await scheduler.waitForQueue()
      withExtendedLifetime(owner) {}
    }
    await clock.manual.advance(by: .seconds(1000))
    // The wakeup that was armed for the last check may still come.
    #expect(clock.manual.wakeupCount <= 11)
    #expect(timer.state == .scheduled)
  }

  @Test(.guarantee("G79", "G82", "G84")) func `The timers of a timer owner end at its release`() async {
    var owner: TimerOwner? = TimerOwner()
    let other = TimerOwner()
    let timers = (0..<10).map { scheduler.timer(on: .every(3600), name: "\($0)", owner: owner ?? other) }
    let consumer = owner.map { Consumer(scheduler.ticks(every: 3600, owner: $0)) }
    let elsewhere = VirtualClock.manual().kept().makeScheduler().timer(on: .every(1), owner: owner ?? other)
    let others = scheduler.timer(on: .every(3600), owner: other)
    // A consumer that asks for a tick holds the owner for a moment.
    await clock.waitForConsumers()
    owner = nil
    for timer in timers + [elsewhere] { #expect(timer.state == .finished(.ownerReleased)) }
    #expect(await consumer?.next() == nil)
    #expect(others.state == .scheduled)
    #expect(await scheduler.timerCount == 1)
    #expect(scheduler.nameCount == 0)
  }

  @Test(.guarantee("G79", "G82", "G87"))
  func `A timer owner doesn't keep the schedulers it was used with`() async {
    let owner = TimerOwner()
    do {
      let other = TimerScheduler(clock: clock, configuration: .init { [releases] in releases.note() })
      other.timer(on: .every(1), name: "owned", owner: owner).cancel()
    }
    await releases.next()
    // The first is forgotten by now.
    let timer = scheduler.timer(on: .every(1), name: "owned", owner: owner)
    #expect(timer.state == .scheduled)
    withExtendedLifetime(owner) {}
  }

  @Test(.hazard("Y5"), .guarantee("G85"))
  func `An object at the address of one that is gone doesn't inherit its timers`() async {
    var inherited = 0
    for _ in 0..<200 {
      var first: ReleaseProbe? = makeOwner()
      let address = first.map { ObjectIdentifier($0) }
      let old = first.map { scheduler.timer(on: .every(3600), name: "job", owner: $0) }
      first = nil
      let second = ReleaseProbe()
      if ObjectIdentifier(second) == address { inherited += 1 }
      #expect(scheduler.timer(named: "job", owner: second) == nil)
      await scheduler.cancelAll(owner: second)
      let new = scheduler.timer(on: .every(3600), name: "job", owner: second)
      #expect(new.state == .scheduled)
      #expect(scheduler.timer(named: "job", owner: second) == new)
      #expect(old?.state == .finished(.ownerReleased))
    }
    // This shows something only if the allocator reuses addresses, which a sanitizer's doesn't.
    #expect(inherited > 0 || ProcessFacts.isUnderSanitizer)
  }

  @Test(.hazard("M3", "Z5"))
  func `An action gets its owner for the time of a run, and doesn't keep it`() async {
    let runs = Journal<TimerTick>()
    let latch = Latch()
    let timer: ScheduledTimer
    do {
      let owner = makeOwner()
      timer = scheduler.schedule(.every(1), owner: owner) { owner, tick in
        runs.note(tick)
        await latch.wait()
        withExtendedLifetime(owner) {}
      }
      await advance(1)
      #expect(await runs.next()?.index == 0)
    }
    // The run alone holds the owner.
    #expect(timer.state == .scheduled)
    latch.open()
    await releases.next()
    await advance(1)
    #expect(await timer.waitUntilFinished() == .ownerReleased)
    #expect(await scheduler.timerCount == 0)
  }
}

/// An actor whose tasks a test can hold up.
private actor Reader {
  let executor = QueueExecutor(label: "Reader")

  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

  func next(of firings: TimerFirings?) async -> TimerTick? {
    var ticks = firings?.makeAsyncIterator()
    return await ticks?.next()
  }
}
