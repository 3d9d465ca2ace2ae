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

  func fire(_ count: Int64 = 1) {
    passed += count
    ledger.deadlinesFired(count, at: Deadline(Workbench.date(Double(passed))), lateness: .zero)
  }

  /// A rule has given one more date that has passed.
  func answer(_ date: Double, by now: Double) {
    ledger.datesAnswered(1, newest: Deadline(Workbench.date(date)), by: Deadline(Workbench.date(now)))
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
