import TimerScheduling

/// A ledger and its listeners. The deadline number n is due n seconds after the reference date.
final class LedgerWorkbench {
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

  /// Fires a number of deadlines. The newest was due `pause` seconds before the end of a pause, if that isn't zero.
  func fire(_ count: Int64 = 1, late seconds: Double = 0, pause: Double = 0) {
    passed += count
    ledger.deadlinesFired(
      count, at: Deadline(Workbench.date(Double(passed) + pause + seconds)),
      lateness: Interval(seconds: seconds), pause: Interval(seconds: pause))
  }

  func pass(_ count: Int64) {
    passed += count
    ledger.deadlinesPassed(count, newest: Deadline(Workbench.date(Double(passed))))
  }

  /// A rule has given one more date that has passed.
  func answer(_ date: Double, by now: Double) {
    ledger.datesAnswered(1, newest: Deadline(Workbench.date(date)), by: Deadline(Workbench.date(now)))
  }

  func join() -> Int {
    cursors.append(ledger.join(isAlone: cursors.allSatisfy { $0 == nil }))
    return cursors.count - 1
  }

  func leave(_ listener: Int) {
    cursors[listener] = nil
    if let slowest = cursors.compactMap(\.self).min() { ledger.listenerLeft(slowest: slowest) }
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
