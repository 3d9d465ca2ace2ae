import Synchronization

/// Records that a scheduler is to look at, posted from any thread.
///
/// A lock and an append instead of a hop to the actor, which would take a thousand times as long. To wake the
/// scheduler's thread for each of many records would take ten times as long as the rest. So a scheduler that has just
/// looked is called to look again a while later, unless something is due before.
struct Inbox: ~Copyable, Sendable {
  /// What the poster of a record is to do.
  enum Call {
    /// The scheduler looks soon enough.
    case none
    /// The scheduler is to look at once.
    case now
    /// The scheduler is to look after an interval.
    case later(after: Interval)
  }

  /// How long a record may wait that isn't urgent.
  private let patience: Interval

  /// Several, so that a thread preempted while it holds one lock doesn't block the others.
  private let trays = (0..<8).map { _ in Tray() }
  /// When the scheduler is to look, or ``Deadline/never`` while nobody has called it. Whoever sets another time has it
  /// called, and it then takes all there is, which may have been taken before.
  private let nextLook = Atomic<Int64>(.max)
  /// The last time that was set, or at which it was to look at once.
  private let lastLook = Atomic<Int64>(.min)

  init(patience: Interval) {
    self.patience = patience
  }

  /// Adds a record that the scheduler is to look at before `due`.
  func post(_ record: TimerRecord, due: Deadline, at now: () -> Deadline) -> Call {
    if !trays.contains(where: { $0.addIfFree(record) }) { trays[0].add(record) }
    return call(before: due, at: now)
  }

  private func call(before due: Deadline, at now: () -> Deadline) -> Call {
    while true {
      let look = nextLook.load(ordering: .acquiring)
      if look == .max {
        let now = now()
        let soonest = Deadline(nanoseconds: lastLook.load(ordering: .relaxed)) + patience
        let isLater = now < soonest && soonest + patience <= due
        guard set(isLater ? soonest : .past, from: look) else { continue }
        lastLook.store((isLater ? soonest : now).nanoseconds, ordering: .relaxed)
        return isLater ? .later(after: soonest - now) : .now
      }
      guard look > .min, due < Deadline(nanoseconds: look) + patience else { return .none }
      if set(.past, from: look) { return .now }
    }
  }

  private func set(_ look: Deadline, from current: Int64) -> Bool {
    nextLook.compareExchange(
      expected: current, desired: look.nanoseconds, ordering: .acquiringAndReleasing
    ).exchanged
  }

  var isEmpty: Bool { trays.allSatisfy(\.isEmpty) }

  /// Hands all records to `body`. The next one that is posted calls the scheduler anew.
  func takeAll(_ body: (TimerRecord) -> Void) {
    // First, so that whoever finds the scheduler called for has put a record where it is found now.
    nextLook.store(.max, ordering: .releasing)
    for tray in trays {
      for record in tray.takeAll() { body(record) }
    }
  }
}

/// Where records are put for a scheduler.
private final class Tray: Sendable {
  /// Guards the records.
  private let records = Lock<[TimerRecord]>([])

  var isEmpty: Bool { records.withLock(\.isEmpty) }

  func add(_ record: TimerRecord) {
    records.withLock { $0.append(record) }
  }

  /// Returns false if another thread has the lock.
  func addIfFree(_ record: TimerRecord) -> Bool {
    records.withLockIfFree { $0.append(record) } != nil
  }

  func takeAll() -> [TimerRecord] {
    records.withLock { records in
      guard !records.isEmpty else { return [] }
      let taken = records
      records = []
      // More are likely to come. Not room for as many, which an idle scheduler would keep.
      records.reserveCapacity(min(taken.count, 64))
      return taken
    }
  }
}
