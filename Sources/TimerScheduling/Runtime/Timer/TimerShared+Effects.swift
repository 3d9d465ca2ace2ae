extension TimerShared {
  // MARK: What a change makes necessary

  /// What a change makes necessary outside the lock. Before it the timer was in the state `old`.
  ///
  /// A run with the number `spared` isn't cancelled by the timer's end.
  /// `badge` has the action if that is given its owner.
  mutating func effects(
    since old: TimerState, _ badge: TimerBadge?, sparing spared: UInt64? = nil
  ) -> TimerEffects {
    if machine.isEnding {
      let isActionOwed = actionCursor.map { machine.owes($0) } ?? false
      let isOwed = isActionOwed || containsListener { machine.owes($0) }
      machine.completeIfOver(isOwed: isOwed, isRunning: isRunning || isActionOwed)
    }
    let isFinished = machine.isFinished
    var effects = TimerEffects(TimerTransition(from: old, to: machine.publicState))
    if let consumers, let woken = takeConsumers(of: consumers, isFinished: isFinished) {
      effects.consumers = woken
      effects.hasTasksToStart = true
    }
    effects.beginsRun = !isFinished && !isRunning && actionCursor.map { machine.canTake($0) } ?? false
    if effects.transition.isEnd {
      effects.remains = takeRemains(badge, sparing: spared)
      isReleasing = !effects.remains.isEmpty
      effects.hasRemains = isReleasing
    }
    if isFinished, !isReleasing, let consumers, !consumers.endWaiters.isEmpty {
      effects.endWaiters = takeEndWaiters()
      effects.hasWaitsToEnd = true
    }
    return effects
  }

  /// Returns nil if there are none to wake.
  private func takeConsumers(of consumers: Consumers, isFinished: Bool) -> WaitingConsumers? {
    let readiness = machine.readiness
    guard isFinished || consumers.readiness != readiness else { return nil }
    let (woken, isComplete) = consumers.listeners.takeConsumers(all: isFinished) { !machine.mustWait($0) }
    consumers.readiness = isComplete ? readiness : nil
    return woken.isEmpty ? nil : woken
  }

  /// How the timer is to be filed.
  var registration: Registration {
    // While a run goes on, the timer stays where the run can be found and cancelled.
    if machine.isFinished, !isRunning { return .gone(holdsError: failure != nil) }
    return machine.filing.map { .filed($0) } ?? .dormant
  }

  /// Takes out everything of the user's that a finished timer holds.
  private mutating func takeRemains(_ badge: TimerBadge?, sparing spared: UInt64?) -> TimerEffects.Remains {
    let rule = machine.relinquishRule()
    let isCancelled = machine.cancelsRunningAction && (spared == nil || run != spared)
    let task = isCancelled ? cancelRun() : nil
    let others = rule == nil && task == nil ? nil : TimerEffects.Remains.Others(rule: rule, task: task)
    let action = action(badge)
    plainAction = nil
    badge?.ownedAction = nil
    return TimerEffects.Remains(action: action, others: others)
  }

  // MARK: The end

  /// Adds a task that waits for the end, unless the wait is over.
  ///
  /// With `quiet` it also waits for a running action.
  mutating func wait(_ consumer: WaitingConsumer, number: UInt64, quiet: Bool) -> Bool {
    if machine.isFinished, !isReleasing, isWaitOver(quiet: quiet) { return false }
    makeConsumers().endWaiters[number] = EndWaiter(consumer: consumer, isForQuiet: quiet)
    return true
  }

  mutating func giveUpWaiting(_ number: UInt64) -> WaitingConsumer? {
    consumers?.endWaiters.removeValue(forKey: number)?.consumer
  }

  /// Notes that the values of the finished timer are released. Returns the tasks that have waited for that.
  mutating func released() -> [WaitingConsumer] {
    isReleasing = false
    return takeEndWaiters()
  }

  /// Whether a wait for the end of the timer, which has finished, is over, for a task that with `quiet` also waits for
  /// a running action. A run that has failed still holds what its action has captured, so every task waits for it.
  private func isWaitOver(quiet: Bool) -> Bool {
    !isRunning || !(quiet || machine.finishReason == .failed)
  }

  /// Takes out the tasks whose wait for the end is over, in the order in which they came.
  private mutating func takeEndWaiters() -> [WaitingConsumer] {
    guard let consumers, !consumers.endWaiters.isEmpty else { return [] }
    let over = consumers.endWaiters.filter { isWaitOver(quiet: $0.value.isForQuiet) }
    for number in over.keys { consumers.endWaiters[number] = nil }
    return over.sorted { $0.key < $1.key }.map(\.value.consumer)
  }
}
