import Synchronization

/// A timer, shared by its scheduler, its listeners, its action and its handles.
///
/// Only its ``TimerStateMachine`` makes decisions. The thread that changes it files it again under the same
/// lock, so a timer is always filed as its state requires.
final class TimerEntry: Sendable {
  let id: UInt64
  let driver: TimerDriver
  let attributes: TimerAttributes?
  /// Guards the timer's state, its listeners and its action.
  let machine: Lock<TimerStateMachine>
  /// Whether the timer ends when it has neither a handle nor a listener.
  let endsUnheld: Bool

  init(
    id: UInt64, attributes: TimerAttributes?, endsUnheld: Bool, driver: TimerDriver,
    machine: consuming sending TimerStateMachine
  ) {
    self.id = id
    self.attributes = attributes
    self.endsUnheld = endsUnheld
    self.driver = driver
    self.machine = Lock(machine)
  }

  var name: String? { attributes?.name }
  var owner: OwnerReference? { attributes?.owner }

  /// Makes a change, after ending the timer if the scheduler has shut down, and performs its effects outside
  /// the lock. `ending` is a run that the change ends.
  @discardableResult
  func update<Result: Sendable>(
    onQueue: Bool = false, ending run: Run? = nil, _ change: (inout TimerStateMachine) -> Result
  ) -> Result {
    let changed = self.change(ending: run) { machine in
      if driver.isShutDown { machine.finish(.schedulerShutDown, at: { driver.read() }) }
      let result = change(&machine)
      // An abandoned scheduler files nothing any more.
      if driver.isAbandoned.load(ordering: .acquiring), !machine.hasTickToTake {
        machine.finish(.schedulerShutDown, at: { driver.read() })
      }
      return result
    }
    let result = changed.result
    perform(changed.effects, ending: run, onQueue: onQueue)
    return result
  }

  struct Changed<Result: Sendable>: ~Copyable {
    let result: Result
    var effects: TimerEffects
  }

  /// Makes a change, and leaves its effects to the caller to perform. The first one files the timer. With
  /// `firing` it is that of a pass, which has taken the timer out of the queue. Whatever files the timer goes
  /// through here.
  func change<Result: Sendable>(
    isFirst: Bool = false, firedAt firing: ClockReading? = nil, ending run: Run? = nil,
    sparing spared: UInt64? = nil, _ body: (inout TimerStateMachine) -> Result
  ) -> Changed<Result> {
    machine.withLock { machine in
      machine.extras?.fetch()
      if !isFirst { reportBegin(of: &machine) }
      let (state, filing) = (machine.publicState, firing == nil && !isFirst ? machine.filing : nil)
      let result = body(&machine)
      // A new timer is only filed, unless it is paused or has no deadline.
      let isFiled = isFirst && !machine.isEnding && machine.publicState == state
      var effects =
        isFiled
        ? TimerEffects() : machine.takeEffects(since: state, attributes?.actionObject, sparing: spared)
      if effects.parts.contains(.end) { attributes?.actionObject = nil }
      if isFirst {
        file(&machine, &effects)
        // Its identifier has its place now.
        reportBegin(of: &machine)
      } else if firing != nil || machine.isFinished || machine.filing != filing {
        refile(&machine, &effects, firedAt: firing)
      }
      report(effects, of: &machine, ending: run)
      return Changed(result: result, effects: effects)
    }
  }

  /// Records the change of state and the runs. Called under the lock, so that they are seen in order.
  private func report(
    _ effects: borrowing TimerEffects, of machine: inout TimerStateMachine, ending ended: Run?
  ) {
    if let former = effects.formerState {
      driver.observation.recordChange(
        from: former, to: machine.publicState, of: identifier(machine), named: name)
    }
    let isEnd = effects.parts.contains(.end)
    if isEnd, machine.isRunning { driver.runs.outlivedCount.add(1, ordering: .relaxed) }
    if let ended {
      driver.runs.runEnded(
        ended, isFollowed: effects.nextRun != nil, isReleasing: effects.parts.contains(.heldValues))
      if machine.isFinished, !isEnd { driver.runs.outlivedCount.subtract(1, ordering: .relaxed) }
    } else if effects.nextRun != nil {
      driver.runs.runBegan()
    }
  }

  /// Records that the timer was scheduled, before anything else is recorded about it. Other threads may find
  /// the timer by its owner or its name, and change it, before its maker has filed it.
  private func reportBegin(of machine: inout TimerStateMachine) {
    if machine.begin(), driver.isObserved {
      driver.observation.record(.scheduled, of: identifier(machine), named: name)
    }
  }

  func perform(_ effects: consuming TimerEffects, ending ended: Run? = nil, onQueue: Bool) {
    // Before events are delivered, so that a test's clock knows the deadline when the observer gets its first
    // event.
    driver.wake(effects.wakeup)
    driver.observation.feed?.callForDelivery()
    // Before tasks are resumed, so that one that learns of the end doesn't find the timer by its name.
    let parts = effects.parts
    if parts.isEmpty, ended == nil { return }
    if parts.contains(.end), attributes != nil { driver.giveUp(self) }
    if parts.contains(.tasks) { startTasks(&effects, onQueue: onQueue) }
    if parts.contains(.question) { driver.ask(self) }
    if parts.contains(.heldValues) { release(&effects.heldValues, onQueue: onQueue) }
    if ended != nil || parts.contains(.endWaiters) { endWaits(&effects, of: ended) }
    if parts.contains(.closed) { driverClosed(onQueue: onQueue) }
  }

  // The next three functions aren't inlined, so that a change that doesn't need them doesn't copy what they
  // use.

  @inline(never)
  private func startTasks(_ effects: inout TimerEffects, onQueue: Bool) {
    var woken = SmallList<WaitingTask>()
    swap(&woken, &effects.woken)
    woken.resumeAll()
    let isIsolated = effects.parts.contains(.isolatedRun)
    if let run = effects.nextRun { start(run: run, isIsolated: isIsolated, onQueue: onQueue) }
  }

  @inline(never)
  private func release(_ values: inout TimerEffects.HeldValues, onQueue: Bool) {
    if onQueue {
      driver.releaseOffQueue(values.take(), of: self)
    } else {
      values.release()
      valuesReleased()
    }
  }

  @inline(never)
  private func endWaits(_ effects: inout TimerEffects, of ended: Run?) {
    if let ended { driver.runs.resumeWaits(after: ended, isReleasing: effects.parts.contains(.heldValues)) }
    for waiter in effects.endWaiters { waiter.resume() }
  }

  /// Resumes the tasks that wait for the timer's end, as its values are released.
  func valuesReleased() {
    for waiter in machine.withLock({ $0.released() }) { waiter.resume() }
  }

  /// Files the timer for the first time. Frees the name if the timer was ended before it had it.
  func start(isPaused: Bool) {
    let started = change(isFirst: true) { machine in
      let wasFinished = machine.isFinished
      if isPaused, !wasFinished { machine.pauseAtStart(at: driver.read()) }
      return wasFinished
    }
    if started.result, attributes != nil { driver.giveUp(self) }
    perform(started.effects, onQueue: false)
  }

  /// Ends the timer as replaced, and leaves the effects to the caller to perform. A run of this timer that
  /// makes the replacement itself isn't cancelled.
  func replace() -> TimerEffects {
    let run = Run.current?.value
    return finished(.replaced, sparing: run?.timer.number == id ? run?.number : nil)
  }

  /// Ends the timer, unless it has ended. Returns whether this call has ended it.
  ///
  /// Not inlined, because a task that waits for a tick would keep the effects.
  @inline(never) @discardableResult
  func finish(_ reason: TimerFinishReason) -> Bool {
    let effects = finished(driver.isShutDown ? .schedulerShutDown : reason)
    let hasEnded = effects.parts.contains(.end)
    perform(effects, onQueue: false)
    return hasEnded
  }

  /// Ends the timer. If its scheduler is abandoned, listeners may still take ticks that have fired.
  func driverClosed(onQueue: Bool) { update(onQueue: onQueue) { _ in } }

  private func finished(_ reason: TimerFinishReason, sparing run: UInt64? = nil) -> TimerEffects {
    change(sparing: run) { $0.finish(reason, at: { driver.read() }) }.effects
  }

  /// Ends the timer and returns false if its owner is gone.
  @discardableResult
  func checkOwner() -> Bool {
    guard let owner, owner.isGone else { return true }
    finish(.ownerReleased)
    return false
  }
}

/// A timer's name and owner, which few timers have and which never change, and an action that is more than a
/// closure.
package final class TimerAttributes: Sendable {
  let name: String?
  let owner: OwnerReference?
  /// Nil once the timer finishes. Guarded by the lock of the timer.
  @safe @exclusivity(unchecked) nonisolated(unsafe) var actionObject: ActionObject?
  /// The position among the owner's timers. Only ``OwnerTable`` uses it, under the lock of the stripe.
  @safe @exclusivity(unchecked) nonisolated(unsafe) var ownerPosition = 0

  private init(name: String?, owner: OwnerReference?, _ action: ActionObject?) {
    self.name = name
    self.owner = owner
    actionObject = action
  }

  /// Returns nil if there is neither a name nor an owner nor an action.
  static func make(name: String?, owner: OwnerReference?, _ action: ActionObject?) -> TimerAttributes? {
    // Not a failable initializer, which would allocate an object first.
    name == nil && owner == nil && action == nil ? nil : TimerAttributes(name: name, owner: owner, action)
  }
}
