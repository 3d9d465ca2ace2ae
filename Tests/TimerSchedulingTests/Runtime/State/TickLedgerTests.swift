import Foundation
import TestSupport
import Testing
import TimerScheduling

@Suite(.guarantee("G34")) struct TickLedgerTests {
  typealias Row = TimerTick.Row

  // MARK: Rules

  // The timer fires at 1 for the date 1, and the clock shows `now` when the rule gives the date 0.5.
  @Test(arguments: [(2.0, Row(due: 1, index: 0, missed: 1)), (0.6, Row(due: 0.5, index: 0, missed: 1))])
  func `A firing by a clock that was set back doesn't date the tick of a rule's answer`(
    now: Double, tick: Row
  ) {
    let bench = LedgerWorkbench(.skip)
    bench.fire()
    bench.answer(0.5, by: now)
    #expect(bench.take(0) == tick)
  }

  // MARK: Several listeners

  @Test(arguments: [MissedTickBehavior.skip, .burst, .delay])
  func `In time, each listener gets each tick`(behavior: MissedTickBehavior) {
    let bench = LedgerWorkbench(behavior, listeners: 2)
    for number in 1...3 {
      bench.fire()
      for listener in 0...1 {
        #expect(bench.take(listener) == Row(due: Double(number), index: number - 1))
        #expect(bench.take(listener) == nil)
      }
    }
  }

  // deadlines  1    2    3
  // quick      x    x    x
  // slow                   x     misses 1 and 2
  @Test(arguments: [MissedTickBehavior.skip, .delay])
  func `A slow listener's missed ticks are its own`(behavior: MissedTickBehavior) {
    let bench = LedgerWorkbench(behavior, listeners: 2)
    for number in 1...3 {
      bench.fire()
      #expect(bench.take(0) == Row(due: Double(number), index: number - 1))
    }
    #expect(bench.take(1) == Row(due: 3, index: 2, missed: 2))
    #expect(bench.ledger.takenCount == 3)
    #expect(bench.ledger.totalMissedCount == 0)
  }

  @Test(arguments: [MissedTickBehavior.skip, .delay])
  func `Listeners that take the same late tick share its index`(behavior: MissedTickBehavior) {
    let bench = LedgerWorkbench(behavior, listeners: 2)
    bench.fire(3)
    // One of them may still be taken.
    #expect(bench.ledger.totalMissedCount == 0)
    #expect(bench.take(0) == Row(due: 3, index: 0, missed: 2))
    #expect(bench.take(1) == Row(due: 3, index: 0, missed: 2))
    #expect(bench.ledger.totalMissedCount == 2)
    bench.fire()
    #expect(bench.take(1) == Row(due: 4, index: 1))
    #expect(bench.ledger.takenCount == 2)
    #expect(bench.ledger.totalMissedCount == 2)
  }

  // deadlines  1    2    3        4
  // quick           1       2  3  4
  // slow                     1       2  3  4
  @Test func `In a burst each listener gets every tick, with the index of its deadline`() {
    let bench = LedgerWorkbench(.burst, listeners: 2)
    bench.fire(2)
    #expect(bench.take(0) == Row(due: 1, at: 2, index: 0))
    bench.fire()
    #expect(bench.take(0) == Row(due: 2, at: 3, index: 1))
    #expect(bench.take(1) == Row(due: 1, at: 3, index: 0))
    #expect(bench.take(0) == Row(due: 3, index: 2))
    bench.fire()
    #expect(bench.take(0) == Row(due: 4, index: 3))
    for number in 2...4 {
      #expect(bench.take(1) == Row(due: Double(number), at: 4, index: number - 1))
    }
    #expect(bench.take(0) == nil)
    #expect(bench.take(1) == nil)
    #expect(bench.ledger.takenCount == 4)
    #expect(bench.ledger.totalMissedCount == 0)
  }

  // MARK: Joining

  @Test(arguments: [(MissedTickBehavior.skip, 0), (.burst, 3)])
  func `A listener that comes later gets only later ticks`(behavior: MissedTickBehavior, index: Int) {
    let bench = LedgerWorkbench(behavior)
    bench.fire(3)
    let late = bench.join()
    #expect(bench.take(late) == nil)
    bench.fire()
    // In a burst the first listener has yet to take three ticks, which count before this one.
    #expect(bench.take(late) == Row(due: 4, index: index))
    bench.fire()
    #expect(bench.take(late)?.missed == 0)
    // The first one is owed the same as before.
    #expect(
      bench.take(0)
        == (behavior == .burst
          ? Row(due: 1, at: 5, index: 0) : Row(due: 5, index: 1, missed: 4)))
  }

  @Test(arguments: [MissedTickBehavior.skip, .burst])
  func `One that comes when all others have left takes the next index`(behavior: MissedTickBehavior) {
    let bench = LedgerWorkbench(behavior)
    bench.fire()
    #expect(bench.take(0)?.index == 0)
    bench.fire(5)
    bench.leave(0)
    let next = bench.join()
    #expect(bench.take(next) == nil)
    bench.fire()
    #expect(bench.take(next) == Row(due: 7, index: 1))
    #expect(bench.ledger.takenCount == 2)
    #expect(bench.ledger.totalMissedCount == 5)
  }

  // MARK: Withdrawing

  @Test(arguments: [MissedTickBehavior.skip, .burst, .delay])
  func `A withdrawn tick is owed to no listener and missed by none`(behavior: MissedTickBehavior) {
    let bench = LedgerWorkbench(behavior, listeners: 2)
    bench.fire()
    #expect(bench.take(0)?.index == 0)
    bench.fire(3)
    bench.ledger.withdraw()
    for listener in 0...1 {
      #expect(!bench.owes(listener))
      #expect(bench.take(listener) == nil)
    }
    bench.fire()
    for listener in 0...1 { #expect(bench.take(listener) == Row(due: 5, index: 1)) }
  }

  // MARK: Limits

  @Test func `In a burst a limit leaves the ticks before it to each listener`() {
    let bench = LedgerWorkbench(.burst, limit: 3, listeners: 2)
    bench.fire(5)
    for listener in 0...1 {
      #expect((0..<5).map { _ in bench.take(listener)?.index } == [0, 1, 2, nil, nil])
      #expect(!bench.owes(listener))
    }
    #expect(bench.ledger.takenCount == 3)
  }

  @Test(arguments: [MissedTickBehavior.skip, .delay])
  func `The last tick of a limit is for every listener`(behavior: MissedTickBehavior) {
    let bench = LedgerWorkbench(behavior, limit: 1, listeners: 3)
    bench.fire(2)
    #expect(bench.take(0) == Row(due: 2, index: 0, missed: 1))
    #expect(bench.owes(1))
    #expect(bench.take(1) == Row(due: 2, index: 0, missed: 1))
    #expect(bench.ledger.takenCount == 1)
    // The deadline after it would have the index 1.
    bench.fire()
    for listener in 0...1 { #expect(bench.take(listener) == nil) }
    #expect(bench.ledger.takenCount == 1)
  }

  @Test func `A listener that came late isn't owed a tick beyond the limit`() {
    let bench = LedgerWorkbench(.burst, limit: 2)
    bench.fire(2)
    let late = bench.join()
    bench.fire()
    // The first two ticks are the first listener's, so the third has the index 2.
    #expect(!bench.owes(late))
    #expect(bench.take(late) == nil)
    #expect((0..<3).map { _ in bench.take(0)?.index } == [0, 1, nil])
  }

  // MARK: Dates

  @Test func `A tick tells when the timer fired for it and how late that was`() throws {
    let bench = LedgerWorkbench(.skip)
    #expect(bench.ledger.newestLateness == nil)
    bench.fire(late: 0.25)
    #expect(bench.ledger.newestLateness == Interval(.milliseconds(250)))
    let tick = try #require(bench.takeTick(0))
    #expect(tick.row == Row(due: 1, at: 1.25, index: 0))
    #expect(tick.lateness == .milliseconds(250))
  }

  @Test func `A tick for which nothing fired carries the date at which it was due`() throws {
    let bench = LedgerWorkbench(.burst)
    bench.fire(late: 0.25)
    bench.pass(2)
    #expect(bench.ledger.newestLateness == .zero)
    let ticks = try (0..<3).map { _ in try #require(bench.takeTick(0)) }
    #expect(
      ticks.map(\.row) == [
        Row(due: 1, at: 1.25, index: 0), Row(due: 2, index: 1), Row(due: 3, index: 2),
      ])
    #expect(ticks.map(\.lateness) == [.milliseconds(250), .zero, .zero])
  }

  @Test func `A deadline that passed in a pause is late from the end of the pause`() throws {
    let bench = LedgerWorkbench(.burst)
    bench.fire(2, late: 0.25, pause: 5)
    #expect(bench.ledger.newestLateness == Interval(.milliseconds(250)))
    let ticks = try (0..<2).map { _ in try #require(bench.takeTick(0)) }
    #expect(ticks.map(\.row) == [Row(due: 1, at: 7.25, index: 0), Row(due: 2, at: 7.25, index: 1)])
    #expect(ticks.map(\.lateness) == [.milliseconds(250), .milliseconds(250)])
    // The next was due after it.
    bench.fire(late: 8)
    #expect(try #require(bench.takeTick(0)).lateness == .seconds(8))
  }

  @Test func `When nothing more has passed nothing changes`() {
    let bench = LedgerWorkbench(.skip)
    bench.fire(late: 0.5)
    bench.ledger.deadlinesPassed(0, newest: .never)
    #expect(bench.take(0) == Row(due: 1, at: 1.5, index: 0))
  }

  // MARK: Extremes

  @Test(arguments: [MissedTickBehavior.skip, .burst, .delay])
  func `Deadlines beyond count are as many as can be counted`(behavior: MissedTickBehavior) {
    let bench = LedgerWorkbench(behavior, listeners: 2)
    for _ in 0..<2 { bench.ledger.deadlinesFired(.max, at: .never, lateness: .zero) }
    let tick = bench.takeTick(0)
    #expect(tick?.index == 0)
    #expect(tick?.missedCount == (behavior == .burst ? 0 : .max - 1))
    #expect(bench.owes(0) == (behavior == .burst))
    bench.ledger.withdraw()
    #expect(!bench.owes(0))
    #expect(!bench.owes(1))
  }
}
