import Dispatch
import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingTesting

/// The faults of YYGlobalTimer, which served all tasks of all targets from one source.
@Suite(.timeLimit(.minutes(30))) struct YYGlobalTimerHazards {
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

  // Each task that was added started the clock anew, which moved all phases, and adding often enough kept
  // slow tasks from ever coming. Fails where a deadline depends on when others were made, ended or fired.
  @Test func `Y1: A hundred timers that come and go don't move another`() async {
    let slow = scheduler.timer(on: .every(10))
    var firings = slow.firings.makeAsyncIterator()
    var kept: [AsyncStream<Date>] = []
    for number in 1...100 {
      await advance(0.1)
      let stream = scheduler.ticks(every: 0.1 + Double(number) / 7)
      if number.isMultiple(of: 2) { kept.append(stream) }
    }
    #expect(await firings.next()?.row == .init(due: 10, index: 0))
    kept = []
    await advance(10)
    #expect(await firings.next()?.row == .init(due: 20, index: 1))
  }

  // Intervals were cut to tenths of a second: 1.999 became 1.9, below 0.1 the remainder by zero trapped, and
  // so did negative numbers and NaN. Fails where an interval isn't kept as it was given, or a bad one isn't
  // refused.
  @Test(arguments: [
    (1.999, 1_999_000_000), (0.05, 50_000_000), (0.15, 150_000_000), (1e-9, 1), (33.333, 33_333_000_000),
  ])
  func `Y2: An interval in seconds is kept to the nanosecond`(seconds: Double, nanoseconds: Int) async {
    var ticks = scheduler.ticks(every: seconds).makeAsyncIterator()
    await clock.advance(by: .nanoseconds(nanoseconds - 1))
    #expect(clock.wakeupCount == 0)
    await clock.advance(by: .nanoseconds(1))
    #expect(await ticks.next() == Date(Deadline(start) + Interval(.nanoseconds(nanoseconds))))
    for bad in [-seconds, .nan] {
      #expect(throws: TimerScheduleError.self) { try TimerSchedule(validatingEvery: bad) }
    }
  }

  // 32.3 s was cut to 32,299 ms, which met the grid of 50 ms, on which the tasks were looked at, once in 27
  // minutes. Fails where seconds are cut, or deadlines are rounded to a grid because others are due on one.
  @Test(arguments: [(32.3, 32_300), (32.299, 32_299)])
  func `Y3: 32.3 seconds come every 32.3 seconds, beside a timer of 50 milliseconds`(
    seconds: Double, milliseconds: Int
  ) async {
    let grid = scheduler.timer(on: .every(0.05))
    let timer = scheduler.timer(on: .every(seconds))
    var firings = timer.firings.makeAsyncIterator()
    for number in 1...100 {
      await clock.advance(by: .milliseconds(milliseconds))
      let due = Date(Deadline(start) + Interval(.milliseconds(milliseconds * number)))
      #expect(await firings.next()?.row == .init(due: due.timeIntervalSinceReferenceDate, index: number - 1))
    }
    #expect(grid.state == .scheduled)
  }

  // Time was the number of fires, so every fire that was missed delayed all tasks for ever. Fails where a
  // deadline is counted in fires, or from the one that came late.
  //
  // seconds    0         7.3  8         15.3 16
  // process    [ stopped ]    [ stopped ]
  // ticks                x    x         x    x
  @Test func `Y4: After fires were missed the next one is where it would have been`() async {
    let timer = scheduler.timer(on: .every(1))
    var firings = timer.firings.makeAsyncIterator()
    for round in 0..<100 {
      let begin = Double(8 * round)
      clock.letPass(.milliseconds(7_300))
      await advance(0)
      let late = await firings.next()
      #expect(late?.scheduledDate == start + begin + 7)
      #expect(late?.missedCount == 6)
      await clock.advance(by: .milliseconds(700))
      let next = await firings.next()
      #expect(next?.scheduledDate == start + begin + 8)
      #expect(next?.lateness == .zero)
    }
  }

  // The key of a target was its description, one for all instances of most classes, so that they deleted each
  // other's tasks; and a target at the address of a dead one had its key. Fails where owners are distinguished
  // by their descriptions or addresses.
  @Test func `Y5: Owners that look the same, or have an address again, don't share timers`() async throws {
    let (one, other) = (Twin(), Twin())
    #expect(one.description == other.description)
    let oneTimer = scheduler.timer(on: .every(10), name: "refresh", owner: one)
    let otherTimer = scheduler.timer(on: .every(10), name: "refresh", owner: other)
    #expect(oneTimer.state == .scheduled)
    #expect(await scheduler.timer(named: "refresh", owner: one) == oneTimer)
    await scheduler.cancelAll(owner: one)
    #expect(oneTimer.state == .finished(.cancelled))
    #expect(otherTimer.state == .scheduled)

    let (old, heir) = try #require(findHeir())
    #expect(await scheduler.timer(named: "refresh", owner: heir) == nil)
    await scheduler.pauseAll(owner: heir)
    let new = scheduler.timer(on: .every(10), name: "refresh", owner: heir)
    #expect(old.state == .finished(.ownerReleased))
    #expect(new.state == .scheduled)
    await advance(1)
    #expect(new.remainingTime == .seconds(9))
    withExtendedLifetime((one, other, heir)) {}
  }

  /// Returns an object at the address of one that has died, and the timer that had been the dead one's.
  private func findHeir() -> (old: ScheduledTimer, heir: Twin)? {
    for _ in 0..<1_000 {
      var dead: Twin? = Twin()
      let address = dead.map { ObjectIdentifier($0) }
      let timer = dead.map { scheduler.timer(on: .every(10), name: "refresh", owner: $0) }
      dead = nil
      let heir = Twin()
      // A sanitizer doesn't reuse an address so soon, so there the test takes any object.
      if let timer, ObjectIdentifier(heir) == address || ProcessFacts.isUnderSanitizer {
        return (timer, heir)
      }
    }
    return nil
  }

  private final class Twin: Sendable, CustomStringConvertible {
    let description = "twin"
  }

  // Targets and closures were released while the lock was held, so a deinit that removed tasks waited for its
  // own thread. Fails if user values of a timer are released under any lock, when the child traps or never ends,
  // or on the timer queue.
  @Test(arguments: Remnant.allCases)
  func `Y6: A deinit that calls the scheduler and its timers doesn't deadlock`(remnant: Remnant) async {
    await #expect(processExitsWith: .success) { [remnant] in
      await YYGlobalTimerHazards().letGo(of: remnant)
    }
  }

  private func letGo(of remnant: Remnant) async {
    let journal = Journal<String>()
    let releases = Releases(scheduler, journal)
    var owner: Witness? = Witness { releases.callEverything() }
    remnant.makeTimer(on: scheduler, owner: owner, releases)
    await clock.advance(by: .seconds(1))
    if remnant != .ownerByAction { await scheduler.waitUntilActionsHaveEnded() }
    switch remnant {
    case .owner, .ownerByAction: owner = nil
    case .ruleByCancel, .actionByCancel: releases.timer?.cancel()
    case .ruleByReschedule: releases.timer?.reschedule(.every(3))
    case .ruleByShutdown, .actionByShutdown: await scheduler.shutdownAndWait()
    case .actionByReplacement: _ = scheduler.ticks(every: 1, name: "job")
    case .actionByEnd, .actionByFailure: break
    case .errorByNextError: await advance(1)
    case .errorByEnd:
      // The scheduler holds the last reference to the timer.
      releases.follow(nil)
      await scheduler.cancelAll()
    }
    // An action that holds the last reference lets it go with its run.
    releases.latch.open()
    #expect(await journal.next() == "released")
    await advance(100)
    withExtendedLifetime(owner) {}
  }

  // Blocks that were queued ran after their task had been removed, a task that took long was run beside
  // itself, and the queue before it grew without an end. Fails where runs overlap, where a backlog is kept,
  // or where a cancelled one goes on.
  @Test func `Y7: Runs don't overlap, missed ticks are counted, and a cancelled one has no more`() async {
    let journal = Journal<String>()
    let latches = [Latch(), Latch()]
    let timer = scheduler.schedule(.every(1)) { tick in
      journal.note("begins \(tick.index), missed \(tick.missedCount)")
      if tick.index < 2 { await latches[tick.index].wait() }
      journal.note("ends \(tick.index)")
    }
    await clock.advance(by: .seconds(1))
    #expect(await journal.next() == "begins 0, missed 0")
    await clock.advance(by: .seconds(1_000))
    #expect(clock.wakeupCount <= 2)
    latches[0].open()
    for entry in ["ends 0", "begins 1, missed 999"] {
      #expect(await journal.next() == entry)
    }
    await clock.advance(by: .seconds(1_000))
    timer.cancel()
    latches[1].open()
    await advance(1_000)
    #expect(await journal.next() == "ends 1")
    #expect(journal.entries.count == 4)
  }

  // The source went on at 20 Hz while every task was paused. Fails where a wakeup is asked for at which
  // nothing is due, on either clock.
  @Test func `Y8: While everything is paused no wakeup is asked for`() async {
    let timers = [
      scheduler.timer(on: .every(1)), scheduler.timer(on: .every(0.001)), scheduler.timer(on: .after(60)),
      scheduler.timer(on: .every(60, starting: .aligned)), scheduler.timer(on: .at(start + 90)),
      scheduler.timer(on: .rule(EverySeconds(7))), scheduler.schedule(.every(1)) { _ in },
    ]
    let listeners = timers.map(\.firings)
    await advance(0.5)
    await scheduler.pauseAll()
    await advance(0)
    #expect(clock.armedCount == 0)
    let wakeupCount = clock.wakeupCount
    await advance(3_600)
    #expect(clock.wakeupCount == wakeupCount)
    #expect(await scheduler.snapshots.allSatisfy { $0.state == .paused })

    await scheduler.resumeAll()
    await advance(0)
    #expect(clock.armedCount > 0)
    await scheduler.cancelAll()
    await advance(0)
    #expect(clock.armedCount == 0)
    withExtendedLifetime(listeners) {}
  }

  // Tasks without a target were given the class itself, which never dies. Fails where a timer outlives what
  // its constructor says it is bound to, or ends before that.
  @Test(arguments: Binding.allCases)
  func `Y9: A timer lives as long as its constructor says`(binding: Binding) async {
    var held: (any Sendable)? = binding.make(on: scheduler)
    await advance(1)
    #expect(await scheduler.timerCount == 1)
    withExtendedLifetime(held) {}
    held = nil
    await advance(1)
    #expect(await scheduler.timerCount == (binding.endsWithHandle ? 0 : 1))
    #expect(clock.armedCount <= (binding.endsWithHandle ? 0 : 1))
    scheduler.shutdown()
    #expect(await scheduler.timerCount == 0)
    #expect(clock.armedCount == 0)
    #expect(scheduler.nameCount == 0)
  }
}
