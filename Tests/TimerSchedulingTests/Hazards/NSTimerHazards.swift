import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingTesting

/// The faults of NSTimer, MSWeakTimer, YYWeakProxy and recursive calls of dispatch_after.
@Suite(.timeLimit(.minutes(30))) struct NSTimerHazards {
  private let clock = VirtualClock.manual()
  private let scheduler: TimerScheduler
  private let start: Date

  init() {
    scheduler = clock.makeScheduler()
    start = clock.date
  }

  private func advance(_ seconds: Double) async {
    await clock.advance(by: .seconds(seconds))
    await scheduler.waitUntilActionsHaveEnded()
  }

  // A run loop in another mode, as while a list is scrolled, didn't serve the timer. Fails where ticks need
  // the main thread or a run loop: here it stays busy until the ticks have come.
  @Test(.tags(.realClock)) func `M1: Ticks come while the main thread is busy`() async {
    let main = await BusyMainThread()
    var count = 0
    for await _ in TimerScheduler().ticks(every: .milliseconds(5), limit: 3) { count += 1 }
    main.letGo()
    await main.waitUntilFree()
    #expect(count == 3)
  }

  // Each call of dispatch_after counted from the moment of the one before, so that lateness added up, and
  // none could be cancelled. Fails where a deadline is counted from a tick.
  @Test func `M2: A thousand late ticks are due at multiples of the interval, a cancelled one never`() async {
    let timer = scheduler.timer(on: .every(1))
    var firings = timer.firings.makeAsyncIterator()
    var rows: [TimerTick.Row] = []
    clock.letPass(.milliseconds(250))
    for _ in 1...1_000 {
      clock.letPass(.seconds(1))
      await advance(0)
      if let tick = await firings.next() { rows.append(tick.row) }
    }
    let expected = (1...1_000).map { number in
      TimerTick.Row(due: Double(number), at: Double(number) + 0.25, index: number - 1)
    }
    #expect(rows == expected)

    let runs = Journal<Int>()
    let later = scheduler.schedule(.after(10)) { runs.note($0.index) }
    for timer in [timer, later] { timer.cancel() }
    await advance(100)
    #expect(await firings.next() == nil)
    #expect(runs.entries.isEmpty)
    #expect(clock.armedCount == 0)
  }

  // NSTimer holds its target, and a weak variable at the call doesn't change that. Fails where a constructor
  // keeps the owner, or a closure of its own does.
  @Test(arguments: OwnedTimer.allCases)
  func `M3: No timer keeps its owner`(kind: OwnedTimer) async {
    weak var released: Witness?
    let timer: any Sendable
    do {
      let owner = Witness()
      released = owner
      timer = kind.make(on: scheduler, owner: owner)
      #expect(await scheduler.timerCount == 1)
    }
    #expect(released == nil)
    withExtendedLifetime(timer) {}
  }

  // The target behind a weak proxy could be released, and the timer fired for ever without it. Fails if a timer
  // doesn't end with its owner, whether it is due every second or paused and far from due.
  @Test func `M4: Timers are gone when their owner is, and wake the process no more`() async {
    let runs = Journal<Int>()
    let releases = Journal<String>()
    weak var released: Witness?
    do {
      let owner = Witness()
      released = owner
      let (busy, paused) = (
        Witness { releases.note("busy") }, Witness { releases.note("paused") }
      )
      scheduler.schedule(.every(1), owner: owner) { _, tick in
        withExtendedLifetime(busy) { runs.note(tick.index) }
      }
      scheduler.schedule(.every(3600), name: "paused", owner: owner) { _, tick in
        withExtendedLifetime(paused) { runs.note(tick.index) }
      }
      .pause()
      await advance(1)
      #expect(runs.entries == [0])
      withExtendedLifetime(owner) {}
    }
    #expect(await isReleased { released })
    await advance(1)
    // Actions are released when all work of their timers' ends is done.
    let gone = [await releases.next(), await releases.next()]
    #expect(Set(gone) == ["busy", "paused"])
    #expect(await scheduler.timerCount == 0)
    #expect(scheduler.nameCount == 0)
    #expect(!scheduler.hasOwners)
    let wakeupCount = clock.wakeupCount
    await advance(7200)
    #expect(clock.wakeupCount == wakeupCount)
    #expect(runs.entries == [0])
  }

  // setTolerance armed the source anew, one interval from the call. Fails where a tolerance, as far as it is
  // used up, moves the deadlines after it, and where a schedule with another tolerance can't take up the old
  // phase.
  //
  // deadlines     |         |         |         |
  // tolerance     |=====    |===      |===      |===
  // ticks              x       x         x         x
  @Test func `M5: A tolerance, and a change of it, keep the phase`() async {
    let timer = scheduler.timer(on: .every(10).tolerance(.seconds(5)))
    var firings = timer.firings.makeAsyncIterator()
    await advance(15)
    #expect(await firings.next()?.row == .init(due: 10, at: 15, index: 0))
    #expect(timer.remainingTime == .seconds(5))

    await advance(1)
    let rest = timer.remainingTime ?? .zero
    timer.reschedule(.every(10, starting: .after(rest)).tolerance(.seconds(3)))
    #expect(timer.remainingTime == .seconds(4))
    await advance(7)
    #expect(await firings.next()?.row == .init(due: 20, at: 23, index: 1))
    await advance(10)
    #expect(await firings.next()?.row == .init(due: 30, at: 33, index: 2))
  }

  // `fire()` called the target on the caller's thread, beside the timer's own call: a one-shot could come
  // twice. Fails where a tick by hand isn't the one tick, or isn't decided in one place with the scheduled
  // one.
  @Test func `M6: A one-shot that is fired by hand, even as it is due, ticks once`() async {
    let runs = Journal<Int>()
    let early = scheduler.schedule(.after(10)) { runs.note($0.index) }
    early.fire()
    await scheduler.waitUntilActionsHaveEnded()
    #expect(runs.entries == [0])
    await advance(20)
    early.fire()
    await scheduler.waitUntilActionsHaveEnded()
    #expect(runs.entries == [0])

    let races = Journal<Int>()
    for round in 1...200 {
      let timer = scheduler.schedule(.after(1)) { races.note($0.index) }
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<3 { group.addTask { timer.fire() } }
        await clock.advance(by: .seconds(1))
      }
      await scheduler.waitUntilActionsHaveEnded()
      #expect(races.entries.count == round)
    }
  }

  // A dispatch timer traps when it is released before it was activated. Fails, in the child, where a
  // scheduler or a timer that nothing was done with can't be dropped.
  @Test(.tags(.realClock)) func `M7: Timers and schedulers that were never used can be dropped`() async {
    await #expect(processExitsWith: .success) {
      for dormancy in Dormancy.allCases {
        weak var released: TimerDriver?
        do {
          let scheduler = TimerScheduler()
          released = scheduler.driver
          await dormancy.make(on: scheduler)
        }
        #expect(await isReleased { released }, "\(dormancy)")
      }
    }
  }

  // A timer kept its block, and with it all captured values, until it was invalidated. Fails if any kind of end
  // leaves the action in place while the timer's handle is still held.
  @Test(arguments: End.allCases)
  func `M8: An action's captured values are released when its timer finishes`(end: End) async {
    let releases = Journal<End>()
    let timer: ScheduledTimer
    do {
      let captured = Witness { releases.note(end) }
      let owner = TimerOwner()
      timer = scheduler.schedule(end.schedule, name: "job", owner: owner, onError: .finish) { _, tick in
        try withExtendedLifetime(captured) { if end == .failed { throw CancellationError() } }
      }
      await advance(1)
      switch end {
      case .completed, .failed, .ownerReleased: break
      case .cancelled: timer.cancel()
      case .replaced: scheduler.timer(on: .every(1), name: "job", owner: owner).cancel()
      case .schedulerShutDown: await scheduler.shutdownAndWait()
      }
      withExtendedLifetime(owner) {}
    }
    #expect(await releases.next() == end)
    #expect(timer.state == .finished(end.reason))
  }

  enum End: CaseIterable {
    case completed, cancelled, replaced, failed, ownerReleased, schedulerShutDown

    var schedule: TimerSchedule { self == .completed ? .after(1) : .every(1) }

    var reason: ScheduledTimer.FinishReason {
      switch self {
      case .completed: .completed
      case .cancelled: .cancelled
      case .replaced: .replaced
      case .failed: .failed
      case .ownerReleased: .ownerReleased
      case .schedulerShutDown: .schedulerShutDown
      }
    }
  }
}
