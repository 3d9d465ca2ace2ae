import Foundation
import TestSupport
import Testing
import TimerScheduling

@Suite(.guarantee("G35")) struct TickLedgerTests {
  typealias Row = TimerTick.Row

  // The timer fires at 1 for the date 1, the clock is set back so many times, and then the rule gives the
  // date 0.5, which came before so many of them.
  @Test(
    arguments: [(0, 0, 1), (1, 0, 0.5), (1, 1, 1), (2, 0, 0.5), (2, 1, 0.5), (2, 2, 1)]
      as [(Int, Int, Double)])
  func `A firing by a clock that was set back doesn't date the tick of a rule's answer`(
    setBackCount: Int, countAfter: Int, due: Double
  ) {
    let bench = LedgerWorkbench(.skip)
    bench.fire()
    for _ in 0..<setBackCount { bench.ledger.clockSetBack() }
    bench.answer(0.5, setBackCount: countAfter)
    #expect(bench.take(0) == Row(due: due, index: 0, missed: 1))
  }

  @Test func `A firing by another schedule doesn't date the tick of a rule's answer`() {
    let bench = LedgerWorkbench(.skip)
    bench.fire()
    bench.ledger.withdraw()
    bench.answer(0.5, setBackCount: 0)
    #expect(bench.take(0) == Row(due: 0.5, index: 0))
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

  @Test(arguments: [MissedTickBehavior.skip, .burst, .delay])
  func `Deadlines beyond count are as many as can be counted`(behavior: MissedTickBehavior) {
    let bench = LedgerWorkbench(behavior, listeners: 2)
    for _ in 0..<2 { bench.ledger.deadlinesFired(.max, at: .never, lateness: .zero) }
    let tick = bench.takeTick(0)
    #expect(tick?.index == 0)
    #expect(tick?.missedCount == (behavior == .burst ? 0 : .max - 2))
    #expect(bench.owes(0) == (behavior == .burst))
    bench.ledger.withdraw()
    #expect(!bench.owes(0))
    #expect(!bench.owes(1))
  }
}

/// A ledger and its listeners. The deadline number n is due n seconds after the reference date.
private final class LedgerWorkbench {
  var ledger = TickLedger()
  private let behavior: MissedTickBehavior
  private let limit: Int64
  private var cursors: [TickCursor?]
  private var passed: Int64 = 0

  /// The listeners passed here are there from the start.
  init(_ behavior: MissedTickBehavior, limit: Int64 = .max, listeners: Int = 1) {
    self.behavior = behavior
    self.limit = limit
    cursors = Array(repeating: .start, count: listeners)
  }

  func fire(_ count: Int64 = 1) {
    passed += count
    ledger.deadlinesFired(count, at: Deadline(Workbench.date(Double(passed))), lateness: .zero)
  }

  /// A rule has given one more date that has passed.
  func answer(_ date: Double, setBackCount: Int) {
    ledger.datesAnswered(1, newest: Deadline(Workbench.date(date)), setBackCount: setBackCount)
  }

  func join() -> Int {
    cursors.append(ledger.join(isAlone: false))
    return cursors.count - 1
  }

  func owes(_ listener: Int) -> Bool {
    cursors[listener].map { ledger.owes($0, behavior, below: limit) } ?? false
  }

  func takeTick(_ listener: Int) -> TimerTick? {
    guard var cursor = cursors[listener] else { return nil }
    defer { cursors[listener] = cursor }
    return ledger.takeTick(for: &cursor, behavior, interval: Interval(.seconds(1)), below: limit)
  }

  func take(_ listener: Int) -> TimerTick.Row? { takeTick(listener)?.row }
}
