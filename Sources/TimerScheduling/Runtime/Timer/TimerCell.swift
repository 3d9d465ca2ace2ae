/// What an entry keeps under its lock: a pending timer or, once anything else has happened to it, its gate.
struct TimerCell: ~Copyable {
  enum Form {
    case pending(PendingTimer)
    case fired(PendingTimer.Fired)
    case unfolded(Unfolded)
  }

  final class Unfolded {
    var gate: TimerGate

    init(_ gate: consuming TimerGate) { self.gate = gate }
  }

  private var form: Form
  private let onError: ActionErrorBehavior
  // Here the next two take no room: the action begins with the next word.
  /// Whether its beginning was noted.
  private var hasBegun = false
  /// Whether the timer has finished and what it held hasn't been released yet.
  private var isReleasing = false
  /// The action of a pending timer.
  private var action: TimerAction.Plain?
  /// Where the timer is, from its start to its end.
  var place: Shards.Place?
  /// What it was filed for last.
  var filed = Registration.gone(holdsError: false)

  /// What a timer begins as.
  enum Origin {
    /// Has no action but a plain one.
    case pending(PendingTimer)
    case inFull(TimerPlan, at: ClockReading)
  }

  init(_ origin: Origin, action: TimerAction?, onError: ActionErrorBehavior) {
    self.onError = onError
    switch origin {
    case .pending(let pending):
      form = .pending(pending)
      self.action = action?.plain
    case .inFull(let plan, let reading):
      let slot = action.map { ActionSlot($0, onError: onError) }
      form = .unfolded(Unfolded(TimerGate(machine: TimerStateMachine(plan, at: reading), action: slot)))
    }
  }

  // MARK: Unfolding

  /// The timer in full, which from now on it is.
  mutating func unfold() -> Unfolded {
    switch form {
    case .unfolded(let unfolded):
      return unfolded
    case .pending(let pending):
      let slot = action.take().map { ActionSlot(TimerAction($0), onError: onError) }
      let unfolded = Unfolded(pending.unfold(action: slot))
      form = .unfolded(unfolded)
      return unfolded
    case .fired(let fired):
      let unfolded = Unfolded(fired.unfold())
      form = .unfolded(unfolded)
      return unfolded
    }
  }

  /// The timer in full to look at, while a pending one stays as it is.
  var inFull: Unfolded {
    switch form {
    case .unfolded(let unfolded): unfolded
    case .pending(let pending): Unfolded(pending.unfold(action: nil))
    case .fired(let fired): Unfolded(fired.unfold())
    }
  }

  var isFinished: Bool {
    switch form {
    case .pending(let pending): pending.isFinished
    case .fired: false
    case .unfolded(let unfolded): unfolded.gate.machine.isFinished
    }
  }

  /// The timer in full, if it is.
  var unfolded: Unfolded? {
    switch form {
    case .pending, .fired: nil
    case .unfolded(let unfolded): unfolded
    }
  }

  // MARK: Changes

  /// The timer begins, by being filed or by whatever comes before that. Returns whether it hadn't.
  mutating func begin() -> Bool {
    defer { hasBegun = true }
    return !hasBegun
  }

  /// What a change to the timer in full makes necessary. Before it the timer was in the state `old`.
  ///
  /// A run with the number `spared` isn't cancelled by the timer's end.
  mutating func followUp(since old: TimerState, sparing spared: UInt64? = nil) -> FollowUp {
    let unfolded = unfold()
    var followUp = unfolded.gate.followUp(since: old, sparing: spared)
    if !followUp.remains.isEmpty { isReleasing = true }
    if unfolded.gate.machine.isFinished, !isReleasing { followUp.endWaiters = unfolded.gate.takeWaiters() }
    return followUp
  }

  /// Starts a new timer.
  ///
  /// Its owner may have ended it meanwhile, when it had no name yet to give up. So that follows now.
  mutating func start() -> FollowUp {
    switch form {
    case .pending(let pending):
      return FollowUp(isEnd: pending.isFinished)
    case .fired, .unfolded:
      var followUp = followUp(since: unfold().gate.machine.publicState)
      followUp.isEnd = isFinished
      return followUp
    }
  }

  mutating func finish(
    _ reason: TimerFinishReason, sparing spared: UInt64? = nil, at now: () -> ClockReading
  ) -> FollowUp {
    switch form {
    case .pending(let pending):
      return finish(pending, reason)
    case .fired, .unfolded:
      let unfolded = unfold()
      let old = unfolded.gate.machine.publicState
      unfolded.gate.machine.finish(reason, at: now)
      return followUp(since: old, sparing: spared)
    }
  }

  private mutating func finish(
    _ pending: PendingTimer, _ reason: TimerFinishReason
  ) -> FollowUp {
    var pending = pending
    guard pending.finish(reason) else { return FollowUp() }
    form = .pending(pending)
    isReleasing = action != nil
    return FollowUp(
      remains: FollowUp.Remains(action: action.take().map { TimerAction($0) }),
      news: .finished(reason, whilePaused: false), isEnd: true)
  }

  /// Gives a pending timer the schedule of another. Returns nil for a timer that isn't pending.
  mutating func reschedule(as other: PendingTimer) -> FollowUp? {
    switch form {
    case .pending(let pending):
      guard !pending.isFinished else { return FollowUp() }
      let pending = pending.rescheduled(as: other)
      form = .pending(pending)
      return FollowUp()
    case .fired, .unfolded:
      return nil
    }
  }

  // MARK: The end

  /// Adds a task that waits for the end, unless the wait is over.
  ///
  /// With `quiet` it also waits for a running action.
  mutating func wait(_ consumer: WaitingConsumer, number: UInt64, quiet: Bool) -> Bool {
    let unfolded = unfold()
    let isOver = unfolded.gate.isWaitOver(quiet: quiet)
    if unfolded.gate.machine.isFinished, !isReleasing, isOver { return false }
    unfolded.gate.waiters[number] = EndWaiter(consumer: consumer, isForQuiet: quiet)
    return true
  }

  /// Notes that the values of the finished timer are released. Returns the tasks that have waited for that.
  mutating func released() -> [WaitingConsumer]? {
    isReleasing = false
    return unfolded?.gate.takeWaiters()
  }

  // MARK: Listeners and handles

  /// Enters the first listener of a timer that is pending and has no action.
  mutating func joinFirst() -> Bool {
    switch form {
    case .pending(var pending):
      guard pending.listening == .notYet, action == nil, !pending.isFinished else { return false }
      pending.listening = .listening
      form = .pending(pending)
      return true
    case .fired, .unfolded:
      return false
    }
  }

  /// The first listener of a pending timer leaves. Returns nil if the timer isn't pending.
  mutating func leaveFirst(
    _ lifetime: TimerEntry.Lifetime, endingAs reason: TimerFinishReason
  ) -> FollowUp? {
    switch form {
    case .pending(var pending):
      guard pending.listening == .listening else { return FollowUp() }
      pending.listening = .left
      form = .pending(pending)
      return switch lifetime {
      case .stream: finish(pending, reason)
      case .handles: finishIfUnheld(pending, as: reason)
      case .own: FollowUp()
      }
    case .fired, .unfolded:
      return nil
    }
  }

  mutating func holdHandle() {
    switch form {
    case .pending(let pending) where pending.handleCount == .max:
      unfold().gate.handleCount += 1
    case .pending(var pending):
      pending.handleCount += 1
      form = .pending(pending)
    case .fired, .unfolded:
      unfold().gate.handleCount += 1
    }
  }

  /// A handle is gone. Returns nil if the timer isn't pending.
  mutating func releaseHandle(endingAs reason: TimerFinishReason) -> FollowUp? {
    switch form {
    case .pending(var pending):
      pending.handleCount -= 1
      form = .pending(pending)
      return finishIfUnheld(pending, as: reason)
    case .fired, .unfolded:
      return nil
    }
  }

  private mutating func finishIfUnheld(
    _ pending: PendingTimer, as reason: TimerFinishReason
  ) -> FollowUp {
    guard pending.handleCount == 0, pending.listening != .listening else { return FollowUp() }
    return finish(pending, reason)
  }

  // MARK: The driver's pass

  /// How the timer is to be filed.
  var registration: Registration {
    switch form {
    case .pending(let pending): pending.registration
    case .fired: .dormant
    case .unfolded(let unfolded): unfolded.gate.registration
    }
  }

  /// The wall clock was set back. A pending timer waits for one date, which stands.
  mutating func wallClockSetBack(at reading: ClockReading) -> TimerStateMachine.SetBackAction {
    switch form {
    case .pending, .fired: .none
    case .unfolded(let unfolded): unfolded.gate.machine.noteWallClockSetBack(at: reading)
    }
  }

  /// The deadline queue has found the timer due.
  mutating func fire(at reading: ClockReading) -> Firing {
    if case .pending(let pending) = form {
      // Its deadline has moved on, or it has ended.
      guard pending.isDue(at: reading) else { return Firing() }
      if action == nil, let fired = pending.fired(at: reading) {
        form = .fired(fired)
        return Firing(lateness: fired.lateness)
      }
    }
    let unfolded = unfold()
    let old = unfolded.gate.machine.publicState
    let isAwaited = unfolded.gate.isAwaited
    let hasTick = unfolded.gate.machine.fire(at: reading, isAwaited: isAwaited) == .wakeListeners
    let lateness = hasTick ? unfolded.gate.machine.ledger.newestLateness : nil
    let followUp = unfolded.gate.followUp(since: old)
    return Firing(lateness: lateness, isAwaited: isAwaited, followUp: followUp)
  }

  struct Firing: ~Copyable {
    /// How late the timer fired. Nil if there is nothing to take.
    var lateness: Interval?
    /// Whether somebody has waited who takes it at once.
    var isAwaited = false
    var holdsError = false
    var followUp = FollowUp()
  }
}
