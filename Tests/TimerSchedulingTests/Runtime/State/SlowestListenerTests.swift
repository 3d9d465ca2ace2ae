import TestSupport
import Testing
import TimerScheduling

/// When a listener leaves, the ledger asks for the slowest that remains. The one that joined first is taken
/// for it, and is compared here with a search of all listeners.
@Suite struct SlowestListenerTests {
  /// A ledger with listeners.
  private struct Listening {
    var ledger = TickLedger()
    var first: Listener?
    var present: [Int: Listener] = [:]
    var joined = 0

    mutating func join() {
      let listener = Listener()
      listener.cursor = ledger.join(isAlone: present.isEmpty)
      listener.join(&first)
      present[joined] = listener
      joined += 1
    }

    mutating func take(_ number: Int, _ behavior: MissedTickBehavior) {
      guard let listener = present[number] else { return }
      let interval = Interval(nanoseconds: 1)
      _ = ledger.takeTick(for: &listener.cursor, behavior, interval: interval, below: .max)
    }

    /// Returns whether both ways agree.
    mutating func leave(_ number: Int) -> Bool {
      guard let listener = present.removeValue(forKey: number) else { return true }
      _ = listener.leave(&first)
      guard let naive = present.values.map(\.cursor).min() else { return true }
      guard let first = first?.cursor else { return false }
      var other = ledger
      ledger.listenerLeft(first: first)
      other.listenerLeft(first: naive)
      return ledger.settled == other.settled && ledger.totalMissedCount == other.totalMissedCount
    }
  }

  @Test(arguments: [MissedTickBehavior.skip, .burst, .delay], SeededGenerator.seeds(1, 2, 3, 4))
  func `The listener that joined first stands for the slowest`(behavior: MissedTickBehavior, seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    for round in 0..<300 {
      var listening = Listening()
      for _ in 0..<60 {
        let listener = Int.random(in: 0...max(listening.joined - 1, 0), using: &generator)
        switch Int.random(in: 0..<10, using: &generator) {
        case 0...2: listening.join()
        case 3...4:
          let count = Int64.random(in: 1...3, using: &generator)
          listening.ledger.deadlinesFired(count, at: Deadline(nanoseconds: 0), lateness: .zero)
        case 5...6: listening.take(listener, behavior)
        case 7 where generator.chance(20): listening.ledger.withdraw()
        default:
          let agrees = listening.leave(listener)
          #expect(agrees, "round \(round), TIMER_SEED=\(seed)")
        }
      }
    }
  }
}
