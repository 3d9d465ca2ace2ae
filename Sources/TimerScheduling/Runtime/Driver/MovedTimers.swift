import Synchronization

/// The timers that move to another place while threads list all timers, because their new schedule is on the other
/// clock.
///
/// A thread that lists the timers visits one wheel after the other, and misses a timer that moves to a wheel that it
/// has visited. So a timer that moves is added to its new place, noted here, and only then removed from its old one.
struct MovedTimers: ~Copyable, Sendable {
  // Not private, because the compiler (6.3.1) fails on a private type here.
  struct State {
    /// The number of threads that list the timers now.
    var listingCount = 0
    /// The timers that have moved since the first of these threads began.
    var timers: [TimerEntry] = []
  }

  /// Guards the timers. It is taken under the lock of a timer, and no lock is taken while it is held.
  private let state = Lock(State())
  private let hasMoved = Atomic<Bool>(false)

  /// Whether a timer has ever moved.
  var hasAny: Bool { hasMoved.load(ordering: .relaxed) }

  /// Notes that a timer is about to be added to its new place. A walk that finds it there, under the lock of the
  /// shard, also finds this.
  func beginMove() { hasMoved.store(true, ordering: .relaxed) }

  /// Notes a timer that is in its new place and in its old one.
  func note(_ timer: TimerEntry) {
    state.withLock { if $0.listingCount > 0 { $0.timers.append(timer) } }
  }

  /// Returns the timers that `list` adds, and those that have moved meanwhile, each once.
  func addMissed(_ list: (inout [TimerEntry]) -> Void) -> [TimerEntry] {
    state.withLock { $0.listingCount += 1 }
    var timers: [TimerEntry] = []
    list(&timers)
    let moved = state.withLock { state in
      let moved = state.timers
      state.listingCount -= 1
      if state.listingCount == 0 { state.timers = [] }
      return moved
    }
    // A timer may have been listed in both its places.
    if !hasAny { return timers }
    var seen: Set<ObjectIdentifier> = []
    return (timers + moved).filter { seen.insert(ObjectIdentifier($0)).inserted }
  }
}
