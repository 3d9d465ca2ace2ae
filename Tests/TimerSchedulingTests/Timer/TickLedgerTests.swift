import Foundation
import Testing
import TimerScheduling

@Suite struct TickLedgerTests {
  typealias Row = TimerTick.Row

  // MARK: Several listeners

  @Test(arguments: [MissedTickBehavior.skip, .burst, .delay])
  func `In time, each listener gets each tick`(behavior: MissedTickBehavior) {
    let desk = LedgerDesk(behavior, listeners: 2)
    for number in 1...3 {
      desk.fire()
      for listener in 0...1 {
        #expect(desk.take(listener) == Row(due: Double(number), index: number - 1))
        #expect(desk.take(listener) == nil)
      }
    }
  }

  // deadlines  1    2    3
  // quick      x    x    x
  // slow                   x     misses 1 and 2
  @Test(arguments: [MissedTickBehavior.skip, .delay])
  func `A slow listener's missed ticks are its own`(behavior: MissedTickBehavior) {
    let desk = LedgerDesk(behavior, listeners: 2)
    for number in 1...3 {
      desk.fire()
      #expect(desk.take(0) == Row(due: Double(number), index: number - 1))
    }
    #expect(desk.take(1) == Row(due: 3, index: 2, missed: 2))
    #expect(desk.ledger.takenCount == 3)
    #expect(desk.ledger.totalMissedCount == 0)
  }

  @Test(arguments: [MissedTickBehavior.skip, .delay])
  func `Listeners that take the same late tick share its index`(behavior: MissedTickBehavior) {
    let desk = LedgerDesk(behavior, listeners: 2)
    desk.fire(3)
    // One of them may still be taken.
    #expect(desk.ledger.totalMissedCount == 0)
    #expect(desk.take(0) == Row(due: 3, index: 0, missed: 2))
    #expect(desk.take(1) == Row(due: 3, index: 0, missed: 2))
    #expect(desk.ledger.totalMissedCount == 2)
    desk.fire()
    #expect(desk.take(1) == Row(due: 4, index: 1))
    #expect(desk.ledger.takenCount == 2)
    #expect(desk.ledger.totalMissedCount == 2)
  }

  // deadlines  1    2    3        4
  // quick           1       2  3  4
  // slow                     1       2  3  4
  @Test func `In a burst each listener gets every tick, with the index of its deadline`() {
    let desk = LedgerDesk(.burst, listeners: 2)
    desk.fire(2)
    #expect(desk.take(0) == Row(due: 1, at: 2, index: 0))
    desk.fire()
    #expect(desk.take(0) == Row(due: 2, at: 3, index: 1))
    #expect(desk.take(1) == Row(due: 1, at: 3, index: 0))
    #expect(desk.take(0) == Row(due: 3, index: 2))
    desk.fire()
    #expect(desk.take(0) == Row(due: 4, index: 3))
    for number in 2...4 {
      #expect(desk.take(1) == Row(due: Double(number), at: 4, index: number - 1))
    }
    #expect(desk.take(0) == nil)
    #expect(desk.take(1) == nil)
    #expect(desk.ledger.takenCount == 4)
    #expect(desk.ledger.totalMissedCount == 0)
  }

  // MARK: Joining

  @Test(arguments: [(MissedTickBehavior.skip, 0), (.burst, 3)])
  func `A listener that comes later gets only later ticks`(behavior: MissedTickBehavior, index: Int) {
    let desk = LedgerDesk(behavior)
    desk.fire(3)
    let late = desk.join()
    #expect(desk.take(late) == nil)
    desk.fire()
    // In a burst the first listener has yet to take three ticks, which count before this one.
    #expect(desk.take(late) == Row(due: 4, index: index))
    desk.fire()
    #expect(desk.take(late)?.missed == 0)
    // The first one is owed the same as before.
    #expect(
      desk.take(0)
        == (behavior == .burst
          ? Row(due: 1, at: 5, index: 0) : Row(due: 5, index: 1, missed: 4)))
  }

  @Test(arguments: [MissedTickBehavior.skip, .burst])
  func `One that comes when all others have left takes the next index`(behavior: MissedTickBehavior) {
    let desk = LedgerDesk(behavior)
    desk.fire()
    #expect(desk.take(0)?.index == 0)
    desk.fire(5)
    desk.leave(0)
    let next = desk.join()
    #expect(desk.take(next) == nil)
    desk.fire()
    #expect(desk.take(next) == Row(due: 7, index: 1))
    #expect(desk.ledger.takenCount == 2)
    #expect(desk.ledger.totalMissedCount == 5)
  }

  // MARK: Withdrawing

  @Test(arguments: [MissedTickBehavior.skip, .burst, .delay])
  func `A withdrawn tick is owed to no listener and missed by none`(behavior: MissedTickBehavior) {
    let desk = LedgerDesk(behavior, listeners: 2)
    desk.fire()
    #expect(desk.take(0)?.index == 0)
    desk.fire(3)
    desk.ledger.withdraw()
    for listener in 0...1 {
      #expect(!desk.owes(listener))
      #expect(desk.take(listener) == nil)
    }
    desk.fire()
    for listener in 0...1 { #expect(desk.take(listener) == Row(due: 5, index: 1)) }
  }

  // MARK: Limits

  @Test func `In a burst a limit leaves the ticks before it to each listener`() {
    let desk = LedgerDesk(.burst, limit: 3, listeners: 2)
    desk.fire(5)
    for listener in 0...1 {
      #expect((0..<5).map { _ in desk.take(listener)?.index } == [0, 1, 2, nil, nil])
      #expect(!desk.owes(listener))
    }
    #expect(desk.ledger.takenCount == 3)
  }

  @Test(arguments: [MissedTickBehavior.skip, .delay])
  func `The last tick of a limit is for every listener`(behavior: MissedTickBehavior) {
    let desk = LedgerDesk(behavior, limit: 1, listeners: 3)
    desk.fire(2)
    #expect(desk.take(0) == Row(due: 2, index: 0, missed: 1))
    #expect(desk.owes(1))
    #expect(desk.take(1) == Row(due: 2, index: 0, missed: 1))
    #expect(desk.ledger.takenCount == 1)
    // The deadline after it would have the index 1.
    desk.fire()
    for listener in 0...1 { #expect(desk.take(listener) == nil) }
    #expect(desk.ledger.takenCount == 1)
  }

  @Test func `A listener that came late isn't owed a tick beyond the limit`() {
    let desk = LedgerDesk(.burst, limit: 2)
    desk.fire(2)
    let late = desk.join()
    desk.fire()
    // The first two ticks are the first listener's, so the third has the index 2.
    #expect(!desk.owes(late))
    #expect(desk.take(late) == nil)
    #expect((0..<3).map { _ in desk.take(0)?.index } == [0, 1, nil])
  }

  // MARK: Dates

  @Test func `A tick tells when the timer fired for it and how late that was`() throws {
    let desk = LedgerDesk(.skip)
    #expect(desk.ledger.newestLateness == nil)
    desk.fire(late: 0.25)
    #expect(desk.ledger.newestLateness == Interval(.milliseconds(250)))
    let tick = try #require(desk.takeTick(0))
    #expect(tick.row == Row(due: 1, at: 1.25, index: 0))
    #expect(tick.lateness == .milliseconds(250))
  }

  @Test func `A tick for which nothing fired carries the date at which it was due`() throws {
    let desk = LedgerDesk(.burst)
    desk.fire(late: 0.25)
    desk.pass(2)
    #expect(desk.ledger.newestLateness == .zero)
    let ticks = try (0..<3).map { _ in try #require(desk.takeTick(0)) }
    #expect(
      ticks.map(\.row) == [
        Row(due: 1, at: 1.25, index: 0), Row(due: 2, index: 1), Row(due: 3, index: 2),
      ])
    #expect(ticks.map(\.lateness) == [.milliseconds(250), .zero, .zero])
  }

  @Test func `A deadline that passed in a pause is late from the end of the pause`() throws {
    let desk = LedgerDesk(.burst)
    desk.fire(2, late: 0.25, pause: 5)
    #expect(desk.ledger.newestLateness == Interval(.milliseconds(250)))
    #expect(desk.ledger.greatestLateness == Interval(.milliseconds(250)))
    let ticks = try (0..<2).map { _ in try #require(desk.takeTick(0)) }
    #expect(ticks.map(\.row) == [Row(due: 1, at: 7.25, index: 0), Row(due: 2, at: 7.25, index: 1)])
    #expect(ticks.map(\.lateness) == [.milliseconds(250), .milliseconds(250)])
    // The next was due after it.
    desk.fire(late: 8)
    #expect(try #require(desk.takeTick(0)).lateness == .seconds(8))
  }

  @Test func `When nothing more has passed nothing changes`() {
    let desk = LedgerDesk(.skip)
    desk.fire(late: 0.5)
    desk.ledger.deadlinesPassed(0, newest: .never)
    #expect(desk.take(0) == Row(due: 1, at: 1.5, index: 0))
  }

  // MARK: Extremes

  @Test(arguments: [MissedTickBehavior.skip, .burst, .delay])
  func `Deadlines beyond count are as many as can be counted`(behavior: MissedTickBehavior) {
    let desk = LedgerDesk(behavior, listeners: 2)
    for _ in 0..<2 { desk.ledger.deadlinesFired(.max, at: .never, lateness: .zero) }
    let tick = desk.takeTick(0)
    #expect(tick?.index == 0)
    #expect(tick?.missedCount == (behavior == .burst ? 0 : .max - 1))
    #expect(desk.owes(0) == (behavior == .burst))
    desk.ledger.withdraw()
    #expect(!desk.owes(0))
    #expect(!desk.owes(1))
  }
}
