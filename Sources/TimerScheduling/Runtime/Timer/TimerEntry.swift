import Synchronization

/// One timer, as its driver, its listeners and those who control it share it.
///
/// The driver fires it and listeners take ticks from it. Its ``TimerShared`` alone decides. Whoever changes it files the
/// timer anew under the same lock, so a timer is always filed as its state asks for.
final class TimerEntry: Sendable {
  typealias Filing = TimerStateMachine.Filing
  typealias Lifetime = TimerShared.Lifetime

  let id: UInt64
  let driver: TimerDriver
  let badge: TimerBadge?
  /// Guards the timer's state, its listeners and its action.
  let shared: Lock<TimerShared>
  let lifetime: Lifetime

  init(
    id: UInt64, badge: TimerBadge?, lifetime: Lifetime, driver: TimerDriver,
    shared: consuming sending TimerShared
  ) {
    self.id = id
    self.badge = badge
    self.lifetime = lifetime
    self.driver = driver
    self.shared = Lock(shared)
  }

  /// Something that lies at both ends of the object, to have it fetched from memory.
  @inline(__always)
  var ends: UInt64 { id &+ (lifetime == .own ? 1 : 0) }

  var name: String? { badge?.name }
  var owner: OwnerReference? { badge?.owner }

  /// The position among the owner's timers. For ``OwnerStripe`` alone, under the lock of the stripe.
  var ownerPosition: Int {
    get { badge?.ownerPosition ?? 0 }
    set { badge?.ownerPosition = newValue }
  }

  // MARK: Changes

  /// Makes a change under the lock, and outside it all that the change makes necessary.
  ///
  /// When this returns the change holds for everybody. A driver that has shut down ends the timer first.
  ///
  /// `ending` is a run that the change ends.
  @discardableResult
  func update<Result: Sendable>(
    onQueue: Bool = false, ending run: TrackedRun? = nil, _ change: (inout TimerShared) -> Result
  ) -> Result {
    let changed = self.change(ending: run) { shared in
      if driver.isShutDown { shared.machine.finish(.schedulerShutDown, at: { driver.clock.read() }) }
      let result = change(&shared)
      // A driver that nothing holds any more files nothing.
      if driver.isAbandoned.load(ordering: .acquiring), !shared.hasTickToTake {
        shared.machine.finish(.schedulerShutDown, at: { driver.clock.read() })
      }
      return result
    }
    let result = changed.result
    perform(changed.effects, onQueue: onQueue)
    return result
  }

  struct Changed<Result: Sendable>: ~Copyable {
    let result: Result
    let effects: TimerEffects
  }

  /// Makes a change, and leaves it to the caller to perform what follows.
  ///
  /// What becomes of the timer is noted under the lock, and so in order.
  func change<Result: Sendable>(
    ending run: TrackedRun? = nil, sparing spared: UInt64? = nil, _ body: (inout TimerShared) -> Result
  ) -> Changed<Result> {
    shared.withLock { shared in
      reportBegin(of: &shared)
      let (state, filing) = (shared.machine.publicState, shared.machine.filing)
      let result = body(&shared)
      var effects = shared.effects(since: state, badge, sparing: spared)
      if shared.machine.isFinished || shared.machine.filing != filing {
        register(&shared, &effects, isFiled: filing != nil)
      }
      report(&effects, of: &shared, ending: run)
      return Changed(result: result, effects: effects)
    }
  }

  /// Notes under the lock what has become of the timer and of its runs, so that all see it in order.
  func report(
    _ effects: inout TimerEffects, of shared: inout TimerShared, ending ended: TrackedRun? = nil
  ) {
    if effects.transition.isChange {
      driver.observation.record(effects.transition, of: self, as: identifier(shared))
    }
    if effects.transition.isEnd, shared.isRunning { driver.tasks.runIsOutliving() }
    if effects.beginsRun {
      effects.nextRun = shared.beginRun()
      effects.hasTasksToStart = true
      effects.isIsolated = shared.action(badge)?.isolation != nil
    }
    if let ended {
      effects.endedRun = ended
      effects.hasWaitsToEnd = true
      driver.tasks.end(ended, isFollowed: effects.nextRun != nil, isReleasing: effects.hasRemains)
      if shared.machine.isFinished, !effects.transition.isEnd { driver.tasks.outlivingRunEnded() }
    } else if effects.nextRun != nil {
      driver.tasks.runBegan()
    }
  }

  /// Notes that the timer has begun, before anything else is noted of it.
  ///
  /// Others may find it by its owner or its name, and change it, before its maker has filed it.
  private func reportBegin(of shared: inout TimerShared) {
    if shared.begin(), driver.isObserved {
      driver.observation.record(.scheduled, of: self, as: identifier(shared))
    }
  }

  func perform(_ effects: consuming TimerEffects, onQueue: Bool) {
    if driver.isObserved { driver.observation.callForDelivery() }
    // First of all, so that a task that learns of the end doesn't find the timer by its name any more.
    if effects.transition.isEnd, badge != nil { driver.giveUp(self) }
    if effects.hasTasksToStart { startTasks(&effects, onQueue: onQueue) }
    driver.wake(effects.wakeup)
    if effects.hasRemains { release(&effects.remains, onQueue: onQueue) }
    if effects.hasWaitsToEnd { endWaits(&effects) }
    if effects.isDriverClosed { driverClosed(onQueue: onQueue) }
  }

  // These three aren't inlined, so that a change without them doesn't copy what they use.

  @inline(never)
  private func startTasks(_ effects: inout TimerEffects, onQueue: Bool) {
    var woken = WaitList<WaitingTask>()
    swap(&woken, &effects.woken)
    woken.resumeAll(noting: driver.monitor)
    if let run = effects.nextRun { start(run: run, isIsolated: effects.isIsolated, onQueue: onQueue) }
  }

  @inline(never)
  private func release(_ remains: inout TimerEffects.Remains, onQueue: Bool) {
    if onQueue {
      driver.dispose(of: remains.take(), of: self)
    } else {
      remains.release()
      valuesReleased()
    }
  }

  @inline(never)
  private func endWaits(_ effects: inout TimerEffects) {
    if let ended = effects.endedRun { driver.tasks.finish(ended, isReleasing: effects.hasRemains) }
    for waiter in effects.endWaiters { waiter.resume(noting: driver.monitor) }
  }

  /// Notes that the values of the finished timer are released, and resumes the tasks that wait for its end.
  func valuesReleased() {
    for waiter in shared.withLock({ $0.released() }) { waiter.resume(noting: driver.monitor) }
  }

  // MARK: Begin and end

  /// Files the timer for the first time.
  ///
  /// Its owner may have ended it meanwhile, when it had no name yet to give up. So that follows now.
  func start(isPaused: Bool) {
    let started = shared.withLock { shared in
      let (state, wasFinished) = (shared.machine.publicState, shared.machine.isFinished)
      if isPaused, !wasFinished { shared.machine.pauseAtStart(at: driver.clock.read()) }
      // One that has nothing to wait for ends at once.
      let isOver = shared.machine.isEnding || wasFinished
      var effects = isOver || isPaused ? shared.effects(since: state, badge) : TimerEffects()
      switch shared.registration {
      case .filed(let filing): add(&shared, on: filing.timeline, filing, &effects)
      case .dormant: add(&shared, on: .monotonic, nil, &effects)
      case .gone: break
      }
      reportBegin(of: &shared)
      report(&effects, of: &shared)
      return Changed(result: wasFinished, effects: effects)
    }
    if started.result, badge != nil { driver.giveUp(self) }
    perform(started.effects, onQueue: false)
  }

  /// Ends the timer as replaced, and leaves it to the caller to perform what follows.
  ///
  /// A run of the timer that makes its replacement itself goes on to its end.
  func replace() -> TimerEffects {
    let run = ActionRun.current
    return finished(.replaced, sparing: run?.timer.number == id ? run?.number : nil)
  }

  /// Ends the timer, unless it has ended. When this returns, no tick leaves it any more.
  ///
  /// Returns whether this has ended it.
  @discardableResult
  func finish(_ reason: TimerFinishReason, onQueue: Bool = false) -> Bool {
    let reason = driver.isShutDown ? .schedulerShutDown : reason
    let effects = finished(reason)
    let hasEnded = effects.transition.isEnd
    perform(effects, onQueue: onQueue)
    return hasEnded
  }

  /// The driver has shut down, or nothing holds it any more. Then listeners may still take the ticks that have fired.
  func driverClosed(onQueue: Bool) {
    if driver.isShutDown {
      finish(.schedulerShutDown, onQueue: onQueue)
    } else {
      update(onQueue: onQueue) { _ in }
    }
  }

  private func finished(_ reason: TimerFinishReason, sparing run: UInt64? = nil) -> TimerEffects {
    change(sparing: run) { $0.machine.finish(reason, at: { driver.clock.read() }) }.effects
  }

  /// Ends the timer if its owner is gone. Returns false in that case.
  @discardableResult
  func checkOwner() -> Bool {
    guard let owner, owner.isGone else { return true }
    finish(.ownerReleased)
    return false
  }
}
