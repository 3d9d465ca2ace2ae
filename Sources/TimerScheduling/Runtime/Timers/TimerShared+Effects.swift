extension TimerShared {
  // MARK: Effects of a change

  /// Returns the effects of a change, to be performed outside the lock. Before the change the timer was in the state
  /// `old`.
  ///
  /// A run with the number `spared` isn't cancelled by the timer's end. `attributes` has the action if it is more than
  /// a closure.
  package mutating func effects(
    since old: TimerState, _ attributes: TimerAttributes?, sparing spared: UInt64? = nil
  ) -> TimerEffects {
    if machine.isEnding {
      let isActionOwed = isActionOwed
      let isOwed = isActionOwed || containsListener { machine.owes($0) }
      machine.completeIfOver(isOwed: isOwed, isRunning: isRunning || isActionOwed)
    }
    let isFinished = machine.isFinished
    var effects = TimerEffects(TimerTransition(from: old, to: machine.publicState))
    moveTasks(all: isFinished, to: &effects.woken)
    effects.hasTasksToStart = !effects.woken.isEmpty
    effects.beginsRun = !isFinished && !isRunning && actionCursor.map { machine.canTake($0) } ?? false
    if effects.transition.isEnd {
      effects.heldValues = takeHeldValues(attributes, sparing: spared)
      isReleasing = !effects.heldValues.isEmpty
      effects.hasHeldValues = isReleasing
    }
    if machine.hasEndWaiters, isFinished ? !isReleasing : lastRun != nil {
      effects.endWaiters = isFinished ? takeEndWaiters() : takeWaitersForLastRun()
      effects.hasWaitsToEnd = !effects.endWaiters.isEmpty
    }
    return effects
  }

  /// The way in which the timer must be filed.
  var registration: Registration {
    // While a run continues, the timer stays in its place, so that the run can be found and cancelled.
    if machine.isFinished, !isRunning { return .gone(holdsError: failure != nil) }
    return machine.filing.map { .filed($0) } ?? .dormant
  }

  /// Removes and returns all user values that a finished timer holds.
  private mutating func takeHeldValues(_ attributes: TimerAttributes?, sparing spared: UInt64?)
    -> TimerEffects.HeldValues
  {
    let rule = machine.relinquishRule()
    let isCancelled = machine.cancelsRunningAction && (spared == nil || run != spared)
    let task = isCancelled ? cancelRun() : nil
    let others = rule == nil && task == nil ? nil : TimerEffects.HeldValues.Others(rule: rule, task: task)
    let action = action(attributes)
    plainAction = nil
    attributes?.ownedAction = nil
    return TimerEffects.HeldValues(action: action, others: others)
  }

  // MARK: The end

  /// Adds a task that waits for the end, unless the wait is over.
  mutating func wait(_ wait: CancellableWait, of task: WaitingTask) -> Bool {
    if machine.isFinished, !isReleasing, isEndComplete { return false }
    wait.begin(task)
    machine.makeExtras().endWaiters.append(wait)
    return true
  }

  /// Adds a task that waits for the end and for a running action, unless the wait is over.
  mutating func waitUntilQuiet(_ task: WaitingTask) -> Bool {
    if machine.isFinished, !isReleasing, !isRunning { return false }
    machine.makeExtras().quietWaiters.append(task)
    return true
  }

  mutating func giveUp(_ wait: CancellableWait) -> WaitingTask? {
    let task = wait.end()
    if task != nil { machine.makeExtras().endWaiters.gaveUp { $0.task == nil } }
    return task
  }

  /// Notes that the values of the finished timer are released. Returns the tasks that have waited for that.
  mutating func released() -> [WaitingTask] {
    isReleasing = false
    return takeEndWaiters()
  }

  /// Whether the end of the timer, which has finished, is complete. A run that has failed still holds the action's
  /// captures, so every task waits for it.
  private var isEndComplete: Bool { !isRunning || machine.finishReason != .failed }

  /// Removes and returns the tasks whose wait for the end is over. Takes constant time if there are none.
  private mutating func takeEndWaiters() -> [WaitingTask] {
    guard machine.hasEndWaiters else { return [] }
    let ended = isEndComplete ? takeWaitersForLastRun() : []
    guard !isRunning else { return ended }
    let extras = machine.makeExtras()
    defer { extras.quietWaiters = [] }
    return ended + extras.quietWaiters
  }

  /// Removes and returns the tasks that wait for the end of the timer, though a run of it may be under way. They look
  /// again whether that run waits for them.
  private mutating func takeWaitersForLastRun() -> [WaitingTask] {
    machine.makeExtras().endWaiters.takeAll().compactMap { $0.end() }
  }

  /// The number of the run under way, if the timer ends with it.
  var lastRun: UInt64? {
    machine.isEnding && !isActionOwed ? run : nil
  }

  /// Whether the action has yet to take a tick.
  private var isActionOwed: Bool { actionCursor.map { machine.owes($0) } ?? false }
}
