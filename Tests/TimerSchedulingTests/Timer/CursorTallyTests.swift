import TestSupport
import Testing
import TimerScheduling

/// The slowest listener, kept up to date from change to change, compared with a search of all listeners.
@Suite struct CursorTallyTests {
  /// A ledger with listeners, of which each is asked for the slowest in both ways after every change.
  private struct Listeners {
    var ledger = TickLedger()
    var tally = CursorTally()
    var cursors: [Int: TickCursor] = [:]
    var joined = 0

    mutating func join() {
      if cursors.isEmpty { tally = CursorTally() }
      let cursor = ledger.join(isAlone: cursors.isEmpty)
      tally.enter(cursor, taken: ledger.settled)
      cursors[joined] = cursor
      joined += 1
    }

    mutating func take(_ listener: Int, _ behavior: MissedTickBehavior) {
      guard let old = cursors[listener], var cursor = cursors[listener] else { return }
      let tick = ledger.takeTick(for: &cursor, behavior, interval: Interval(nanoseconds: 1), below: .max)
      guard tick != nil else { return }
      cursors[listener] = cursor
      tally.move(from: old, taken: ledger.settled)
    }

    /// Returns whether both ways agree.
    mutating func leave(_ listener: Int) -> Bool {
      guard let cursor = cursors.removeValue(forKey: listener) else { return true }
      tally.remove(cursor)
      guard let naive = cursors.values.min() else { return true }
      let slowest = tally.slowest(of: cursors.count, taken: ledger.settled)
      var other = ledger
      ledger.listenerLeft(slowest: slowest)
      other.listenerLeft(slowest: naive)
      return ledger.settled == other.settled && ledger.totalMissedCount == other.totalMissedCount
    }
  }

  @Test(arguments: [MissedTickBehavior.skip, .burst, .delay], SeededGenerator.seeds(1, 2, 3, 4))
  func `The slowest listener is the one that a look at all finds`(behavior: MissedTickBehavior, seed: UInt64)
  {
    var generator = SeededGenerator(seed: seed)
    for round in 0..<300 {
      var listeners = Listeners()
      for _ in 0..<60 {
        let listener = Int.random(in: 0...max(listeners.joined - 1, 0), using: &generator)
        switch Int.random(in: 0..<10, using: &generator) {
        case 0...2: listeners.join()
        case 3...4:
          let count = Int64.random(in: 1...3, using: &generator)
          listeners.ledger.deadlinesFired(count, at: Deadline(nanoseconds: 0), lateness: .zero)
        case 5...6: listeners.take(listener, behavior)
        case 7 where generator.chance(20): listeners.ledger.withdraw()
        default:
          let agrees = listeners.leave(listener)
          #expect(agrees, "round \(round), TIMER_SEED=\(seed)")
        }
      }
    }
  }
}
