extension TimerStateMachine {
  /// Ends the timer if it is over, begins its next run, and takes out what is to be done outside the lock
  /// after a change from the state `old`. The timer's end doesn't cancel the run `spared`. `owned` is the
  /// action if it is more than a closure.
  package mutating func takeEffects(
    since old: TimerState, _ owned: ActionObject? = nil, sparing spared: UInt64? = nil
  ) -> TimerEffects {
    if isEnding, !isRunning, !isActionOwed {
      completeIfOver(isOwed: containsListener(before: owedBefore))
    }
    let isFinished = isFinished
    var effects = TimerEffects()
    var parts: TimerEffects.Parts = asksRule ? .question : []
    if old != publicState {
      effects.formerState = old
      if isFinished { parts.formUnion(.end) }
    }
    moveTasks(all: isFinished, to: &effects.woken)
    if !isFinished, !isRunning, actionCursor.map({ canTake($0) }) ?? false {
      effects.nextRun = beginRun()
      parts.formUnion(action(owned)?.isolation == nil ? .tasks : [.tasks, .isolatedRun])
    }
    if !effects.woken.isEmpty { parts.formUnion(.tasks) }
    if parts.contains(.end) {
      effects.heldValues = takeHeldValues(owned, sparing: spared)
      isReleasing = !effects.heldValues.isEmpty
      if isReleasing { parts.formUnion(.heldValues) }
    }
    if hasEndWaiters {
      effects.endWaiters = takeEndWaiters()
      if !effects.endWaiters.isEmpty { parts.formUnion(.endWaiters) }
    }
    effects.parts = parts
    return effects
  }

  /// Whether the timer leaves the queue. It stays while a run continues, so that the run can be found and
  /// cancelled.
  var isGone: Bool { isFinished && !isRunning }

  var hasTickToTake: Bool { containsListener(before: readyBefore) }

  private mutating func takeHeldValues(
    _ owned: ActionObject?, sparing spared: UInt64?
  ) -> TimerEffects.HeldValues {
    let rule = extras?.recurrence.end()
    let isCancelled = cancelsRunningAction && (spared == nil || run != spared)
    let task = isCancelled ? cancelRun() : nil
    var values = TimerEffects.HeldValues(action: action(owned))
    if rule != nil || task != nil { values.others = { withExtendedLifetime(rule) { task?.cancel() } } }
    if hasAction { consumer = .action(nil) }
    return values
  }

  private var isReleased: Bool { isFinished && !isReleasing }

  /// Whether a wait for the end is over. A run that has failed still holds the action's captures.
  private var isEndComplete: Bool { isReleased && (!isRunning || finishReason != .failed) }

  private var isQuiet: Bool { isReleased && !isRunning }

  /// Adds a task that waits for the end, unless the wait is over.
  mutating func waitForEnd(_ task: WaitingTask, number: UInt64) -> Bool {
    if isEndComplete { return false }
    makeExtras().endWaiters[number] = task
    return true
  }

  /// Adds a task that waits for the end and for a running action, unless the wait is over.
  mutating func waitUntilQuiet(_ task: WaitingTask) -> Bool {
    if isQuiet { return false }
    makeExtras().quietWaiters.append(task)
    return true
  }

  mutating func giveUpWait(_ number: UInt64) -> WaitingTask? {
    extras?.endWaiters.removeValue(forKey: number)
  }

  /// Notes that the values of the finished timer are released. Returns the tasks that have waited for that.
  mutating func released() -> [WaitingTask] {
    isReleasing = false
    return takeEndWaiters()
  }

  /// Removes and returns the tasks whose wait is over. Takes constant time if there are none.
  private mutating func takeEndWaiters() -> [WaitingTask] {
    guard hasEndWaiters else { return [] }
    let extras = makeExtras()
    var over: [WaitingTask] = []
    // Once the run under way is the timer's last, a task that awaits the end looks again whether that run
    // awaits it.
    if isEndComplete || lastRun != nil {
      over = extras.endWaiters.sorted { $0.key < $1.key }.map(\.value)
      extras.endWaiters = [:]
    }
    if isQuiet {
      over += extras.quietWaiters
      extras.quietWaiters = []
    }
    return over
  }

  /// The number of the run under way, if the timer ends with it.
  var lastRun: UInt64? {
    isEnding && !isActionOwed ? run : nil
  }

  private var isActionOwed: Bool { actionCursor.map { owes($0) } ?? false }
}
