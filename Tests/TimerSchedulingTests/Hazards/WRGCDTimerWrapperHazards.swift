import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingTesting

/// The faults of WRGCDTimerWrapper, which called a weak target on the main queue.
@Suite(.timeLimit(.minutes(30))) struct WRGCDTimerWrapperHazards {
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

  // The interval was written into the source: one second. Fails where not every interval is kept to the
  // nanosecond.
  @Test(arguments: [
    Duration.nanoseconds(1), .nanoseconds(1_000_001), .milliseconds(300), .seconds(1.5),
    .seconds(86_400 * 400),
  ])
  func `W1: Any interval is kept to the nanosecond`(interval: Duration) async {
    let timer = scheduler.timer(on: .every(interval))
    var firings = timer.firings.makeAsyncIterator()
    await clock.advance(by: interval - .nanoseconds(1))
    #expect(clock.wakeupCount == 0)
    for number in 1...3 {
      await clock.advance(by: number == 1 ? .nanoseconds(1) : interval)
      let tick = await firings.next()
      let due = Date(Deadline(start) + Interval(interval * number))
      #expect(tick?.row == .init(due: due.timeIntervalSinceReferenceDate, index: number - 1))
      #expect(tick?.lateness == .zero)
    }
  }

  // A tick that was queued for the main thread used its target unowned, and crashed when that had died. Fails
  // where a fire holds the owner, or where a queued run begins without checking it.
  @Test func `W2: An action whose owner dies between the fire and the run doesn't run`() async {
    let runs = Journal<Int>()
    weak var released: Witness?
    let timer: ScheduledTimer
    Stage.hold()
    do {
      let owner = Witness()
      released = owner
      timer = scheduler.schedule(.every(1), owner: owner) { @Stage _, tick in runs.note(tick.index) }
      await clock.advance(by: .seconds(1))
      withExtendedLifetime(owner) {}
    }
    // The scheduler's check of the owner may hold it for a moment.
    #expect(await isReleased { released })
    Stage.letGo()
    await scheduler.waitUntilActionsHaveEnded()
    #expect(runs.entries.isEmpty)
    #expect(timer.state == .finished(.ownerReleased))
  }

  // Each fire put another block on the main queue. A main thread that was busy for ten seconds then got ten
  // calls at once. Fails where runs or wakeups pile up behind an action that can't run.
  //
  // seconds    1    2    3  …  10   11
  // stage      [================]
  // runs                        x    x
  @Test func `W3: A stage that was busy for ten deadlines gets one tick that counts nine missed`() async {
    let runs = Journal<TimerTick.Row>()
    Stage.hold()
    scheduler.schedule(.every(1)) { @Stage tick in runs.note(tick.row) }
    await clock.advance(by: .seconds(10))
    #expect(clock.wakeupCount == 2)
    Stage.letGo()
    await scheduler.waitUntilActionsHaveEnded()
    #expect(runs.entries == [.init(due: 10, index: 0, missed: 9)])
    await advance(1)
    #expect(runs.entries.last == .init(due: 11, index: 1))
  }

  // A call that was on its way to the main thread when the timer was stopped still came. Fails if the last check
  // of the timer's state isn't on the action's own isolation, or if a buffered tick can be taken after a stop.
  @Test(arguments: [true, false])
  func `W4: No action begins and no tick is taken after pause() or cancel() has returned`(
    isPaused: Bool
  ) async {
    let rows = Journal<TimerTick.Row>()
    Stage.hold()
    let action = scheduler.schedule(.every(1)) { @Stage tick in rows.note(tick.row) }
    let timer = scheduler.timer(on: .every(1))
    let firings = timer.firings
    let consumer = Task { @Stage in for await tick in firings { rows.note(tick.row) } }
    await clock.advance(by: .seconds(1))
    for timer in [action, timer] { if isPaused { timer.pause() } else { timer.cancel() } }
    Stage.letGo()
    await scheduler.waitUntilActionsHaveEnded()
    // Jobs that were sent to the stage before this have run.
    await Task { @Stage in }.value
    await advance(10)
    #expect(rows.entries.isEmpty)

    // A paused timer keeps its tick.
    for timer in [action, timer] { timer.resume() }
    let kept = isPaused ? [TimerTick.Row(due: 1, index: 0), .init(due: 1, index: 0)] : []
    for row in kept { #expect(await rows.next() == row) }
    timer.cancel()
    await consumer.value
    #expect(rows.entries == kept)
  }

  // Any caller could write the count of suspensions, and an extra stop or a missing start left it off balance.
  // Fails where calls are counted, where scopes aren't, or where one way out of a scope is forgotten.
  @Test func `W5: Calls don't add up, scopes do, and neither undoes the other`() async {
    let timer = scheduler.timer(on: .every(10))
    await advance(4)
    for _ in 1...3 { timer.resume() }
    await timer.withPaused {
      await timer.withPaused { await advance(103) }
      #expect(timer.state == .paused)
      timer.resume()
      #expect(timer.state == .paused)
      await advance(103)
    }
    #expect(timer.state == .scheduled)
    await #expect(throws: CancellationError.self) {
      try await timer.withPaused {
        for _ in 1...3 { timer.pause() }
        throw CancellationError()
      }
    }
    #expect(timer.state == .paused)
    timer.resume()
    #expect(timer.state == .scheduled)
    timer.pause()
    #expect(timer.state == .paused)
    timer.resume()
    #expect(timer.remainingTime == .seconds(6))
  }

  // The first deadline was fixed when the wrapper was made, so that one started later fired at once, and each
  // resume of a source whose deadline had passed brought a tick more. Fails where a schedule or a pause has a
  // clock of its own, or where a resume ticks.
  //
  // seconds    0         25   30               133  138       148
  // schedule   made
  // timer                made [==== paused ====]
  // ticks                                           x         x
  @Test func `W6: Deadlines start when the timer is made, and a resume keeps the time that was left`() async {
    let schedule = TimerSchedule.every(10)
    await advance(25)
    let timer = scheduler.timer(on: schedule)
    var firings = timer.firings.makeAsyncIterator()
    await advance(5)
    timer.pause()
    await advance(103)
    timer.resume()
    #expect(timer.remainingTime == .seconds(5))
    await advance(5)
    #expect(await firings.next()?.row == .init(due: 138, index: 0))
    timer.pause()
    timer.resume()
    #expect(timer.remainingTime == .seconds(10))
    await advance(10)
    #expect(await firings.next()?.row == .init(due: 148, index: 1))

    // Paused from the start, and resumed long after its first deadline would have been.
    let runs = Journal<Int>()
    let late = scheduler.schedule(.every(10)) { runs.note($0.index) }
    late.pause()
    await advance(1_000)
    late.resume()
    await advance(9.999)
    #expect(runs.entries.isEmpty)
    await advance(0.001)
    #expect(runs.entries == [0])
  }
}
