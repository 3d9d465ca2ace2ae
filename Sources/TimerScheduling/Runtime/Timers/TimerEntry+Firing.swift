import Synchronization

/// The way in which a timer is filed with its scheduler.
enum Registration: Equatable {
  /// For a deadline.
  case filed(Filing)
  /// The timer or a run of its action lives, and there is no deadline.
  case dormant
  /// The timer has finished, and no run is under way. With `holdsError`, it must be released off the queue.
  case gone(holdsError: Bool)
}

extension TimerEntry: ShardEntry {
  @inline(__always)
  var ends: UInt64 { id &+ (lifetime == .own ? 1 : 0) }
}

/// Firing a timer, on its driver's queue.
extension TimerEntry {
  /// Fires the timer, whose deadline was taken out of the shard, and files it for the next.
  func fire(at reading: ClockReading) -> Firing {
    var isAwaited = false
    var firing = Firing()
    var effects = shared.withLock { shared in
      let old = shared.machine.publicState
      isAwaited = shared.isAwaited
      let hasTick = shared.machine.fire(at: reading, isAwaited: isAwaited) == .wakeListeners
      if hasTick { firing.lateness = shared.machine.ledger.newestLateness }
      var effects = shared.effects(since: old, attributes)
      register(&shared, &effects, firedAt: reading)
      report(&effects, of: &shared)
      firing.holdsError = shared.registration == .gone(holdsError: true)
      return effects
    }
    // The pass computes its next wakeup itself.
    effects.wakeup = .none
    // Notified before any task is resumed, as a resumed task may leave the tick to others, or add listeners that
    // don't get it.
    if firing.lateness != nil { context.monitor?.hasFired(timer: id) }
    if !effects.isIsolated, let run = effects.nextRun.take() {
      enter(run: run)
      firing.run = self
    }
    perform(effects, onQueue: true)
    // Checking an owner may release it, which must not happen on the timer queue. A listener or an action that was
    // waiting checks the owner itself.
    if owner != nil, !isAwaited { context.performElsewhere { self.checkOwner() } }
    return firing
  }

  /// The result of a firing for the pass.
  struct Firing {
    /// The lateness of the firing. Nil if there is no tick to take.
    var lateness: Interval?
    /// A run that the pass submits to the pool with others.
    var run: TimerEntry?
    /// Whether the timer has ended and holds an error, so it must be released elsewhere.
    var holdsError = false
  }

  /// Files the timer as its state requires, unless it is already filed so. Called under the lock of the timer.
  ///
  /// After a firing, the filing is always for a later moment.
  private func register(
    _ shared: inout TimerShared, _ effects: inout TimerEffects, firedAt firing: ClockReading
  ) {
    switch shared.registration {
    case .filed(let filing):
      let later = filing.following(firing)
      assert(later == filing, "A timer that was just fired is due again at \(filing.deadline).")
      guard let later, let place = shared.place else { return }
      file(&shared, at: place, later, &effects)
    case .dormant:
      // Its deadline was already taken out for this firing.
      break
    case .gone:
      register(&shared, &effects)
    }
  }

  /// Files the timer as its state requires. Called under the lock of the timer.
  func register(_ shared: inout TimerShared, _ effects: inout TimerEffects) {
    guard let place = shared.place else { return }
    switch shared.registration {
    case .filed(let filing):
      file(&shared, at: place, filing, &effects)
    case .dormant:
      file(&shared, at: place, nil, &effects)
    case .gone:
      shared.place = nil
      effects.wakeup = context.remove(place)
    }
  }

  private func file(
    _ shared: inout TimerShared, at place: ShardPlace, _ filing: Filing?, _ effects: inout TimerEffects
  ) {
    guard let wakeup = context.file(place, filing) else {
      _ = context.remove(place)
      shared.place = nil
      effects.isDriverClosed = true
      return
    }
    effects.wakeup = wakeup
  }

  /// Adds the timer to its scheduler. Called under the lock of the timer.
  func add(_ shared: inout TimerShared, _ filing: Filing?, _ effects: inout TimerEffects) {
    guard let (place, wakeup) = context.add(self, filing) else {
      shared.place = nil
      effects.isDriverClosed = true
      return
    }
    shared.place = place
    effects.wakeup = wakeup
  }

  /// Notifies the timer that the wall clock was set back.
  func wallClockSetBack(at reading: ClockReading) {
    let action = shared.withLock { shared in
      let action = shared.machine.wallClockSetBack(at: reading)
      var effects = TimerEffects()
      // Its deadline may now be earlier, by the same clock. The pass computes its next wakeup itself.
      register(&shared, &effects)
      return action
    }
    switch action {
    case .none: break
    // A rule is user code, which must not run on the timer queue.
    case .consult: context.performElsewhere { self.consultAnew() }
    }
  }

  private func consultAnew() {
    let question = shared.withLock { $0.machine.consultAnew(at: context.read()) }
    if let (query, inquiry) = question { adopt(query.ask(), to: inquiry) }
  }
}
