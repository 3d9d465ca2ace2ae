import Synchronization

/// One timer, as its driver, its listeners and those who control it share it.
///
/// The driver fires it and listeners take ticks from it, all through the gate. The gate alone decides. Whoever changes
/// it files the timer anew under the same lock, so a timer is always filed as its gate asks for.
final class TimerEntry: Sendable {
  typealias Filing = TimerStateMachine.Filing

  /// What a timer lives by, besides its schedule.
  enum Lifetime: Sendable {
    /// Ends with its first listener.
    case stream
    /// Ends when there is neither a handle nor a listener.
    case handles
    /// Ends when told to.
    case own
  }

  let id: UInt64
  let driver: TimerDriver
  private let badge: TimerBadge?
  /// Guards the timer's state, its listeners and its action.
  let cell: Lock<TimerCell>
  let lifetime: Lifetime

  init(
    id: UInt64, badge: TimerBadge?, lifetime: Lifetime, driver: TimerDriver,
    cell: consuming sending TimerCell
  ) {
    self.id = id
    self.badge = badge
    self.lifetime = lifetime
    self.driver = driver
    self.cell = Lock(cell)
  }

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
  /// What becomes of the timer is noted under the lock, and so in order.
  ///
  /// When this returns the change holds for everybody. A driver that has shut down ends the timer first.
  ///
  /// `ending` is a run that the change ends.
  @discardableResult
  func update<Result: Sendable>(
    onQueue: Bool = false, ending run: TrackedRun? = nil, _ change: (inout TimerGate) -> Result
  ) -> Result {
    let change = cell.withLock { cell -> Change<Result> in
      noteBegin(of: &cell)
      let unfolded = cell.unfold()
      let old = unfolded.gate.machine.publicState
      if driver.isShutDown { unfolded.gate.machine.finish(.schedulerShutDown, at: { driver.clock.read() }) }
      let result = change(&unfolded.gate)
      // A driver that nothing holds any more files nothing.
      if driver.isAbandoned.load(ordering: .acquiring), !unfolded.gate.hasTickToTake {
        unfolded.gate.machine.finish(.schedulerShutDown, at: { driver.clock.read() })
      }
      var followUp = cell.followUp(since: old)
      register(&cell, &followUp)
      note(&followUp, of: cell, ending: run)
      return Change(result: result, followUp: followUp)
    }
    let result = change.result
    perform(change.followUp, onQueue: onQueue)
    return result
  }

  private struct Change<Result: Sendable>: ~Copyable {
    let result: Result
    let followUp: FollowUp
  }

  /// Makes a change that needn't unfold the timer, and leaves it to the caller to perform what follows.
  func change(_ body: (inout TimerCell) -> FollowUp?) -> FollowUp? {
    cell.withLock { cell in
      noteBegin(of: &cell)
      guard var followUp = body(&cell) else { return nil }
      register(&cell, &followUp)
      note(&followUp, of: cell)
      return followUp
    }
  }

  /// Notes under the lock what has become of the timer and of its runs, so that all see it in order.
  func note(
    _ followUp: inout FollowUp, of cell: borrowing TimerCell, ending ended: TrackedRun? = nil
  ) {
    driver.observation.note(followUp.news, of: self)
    guard followUp.calledRun != nil || ended != nil else { return }
    let next = followUp.calledRun.map {
      ActionRun(timer: TimerID(number: id), name: name, number: $0)
    }
    let isolation = next == nil ? nil : cell.unfolded?.gate.action?.action?.isolation
    followUp.runs =
      if let ended {
        driver.tasks.end(
          ended, beginning: next, on: isolation, of: self, isReleasing: !followUp.remains.isEmpty)
      } else {
        FollowUp.Runs(next: next.map { driver.tasks.begin($0, of: self) }, on: isolation, ended: nil)
      }
  }

  /// Notes that the timer has begun, before anything else is noted of it.
  ///
  /// Others may find it by its owner or its name, and change it, before its maker has filed it.
  private func noteBegin(of cell: inout TimerCell) {
    if cell.begin() { driver.observation.note(.scheduled, of: self) }
  }

  func perform(_ followUp: consuming FollowUp, onQueue: Bool) {
    var followUp = followUp
    driver.observation.callForDelivery()
    // First of all, so that a task that learns of the end doesn't find the timer by its name any more.
    if followUp.isEnd, badge != nil { driver.giveUp(self) }
    if !followUp.consumers.isEmpty { followUp.consumers.resumeAll(noting: driver.monitor) }
    if let runs = followUp.runs, let run = runs.next { start(run, on: runs.isolation, onQueue: onQueue) }
    driver.wake(followUp.wakeup)
    if !followUp.remains.isEmpty {
      if onQueue {
        driver.dispose(of: followUp.remains.take(), of: self)
      } else {
        followUp.remains.release()
        noteReleased()
      }
    }
    if let ended = followUp.runs?.ended { driver.tasks.finish(ended) }
    if let waiters = followUp.endWaiters { for waiter in waiters { waiter.resume(noting: driver.monitor) } }
    if followUp.isDriverClosed { driverClosed(onQueue: onQueue) }
  }

  /// Notes that the values of the finished timer are released, and resumes the tasks that wait for its end.
  func noteReleased() {
    guard let waiters = cell.withLock({ $0.released() }) else { return }
    for waiter in waiters { waiter.resume(noting: driver.monitor) }
  }

  // MARK: Begin and end

  /// Files the timer for the first time.
  func start() {
    let followUp = change { cell in
      var followUp = cell.start()
      cell.filed = cell.registration
      switch cell.filed {
      case .filed(let filing): add(&cell, on: filing.timeline, filing, &followUp)
      case .dormant: add(&cell, on: .monotonic, nil, &followUp)
      case .gone: break
      }
      return followUp
    }
    if let followUp { perform(followUp, onQueue: false) }
  }

  /// Ends the timer as replaced, and leaves it to the caller to perform what follows.
  ///
  /// A run of the timer that makes its replacement itself goes on to its end.
  func replace() -> FollowUp {
    let run = ActionRun.current
    return finished(.replaced, sparing: run?.timer.number == id ? run?.number : nil)
  }

  /// Ends the timer, unless it has ended. When this returns, no tick leaves it any more.
  func finish(_ reason: TimerFinishReason, onQueue: Bool = false) {
    let reason = driver.isShutDown ? .schedulerShutDown : reason
    perform(finished(reason), onQueue: onQueue)
  }

  /// The driver has shut down, or nothing holds it any more. Then listeners may still take the ticks that have fired.
  func driverClosed(onQueue: Bool) {
    if driver.isShutDown {
      finish(.schedulerShutDown, onQueue: onQueue)
    } else {
      update(onQueue: onQueue) { _ in }
    }
  }

  private func finished(_ reason: TimerFinishReason, sparing run: UInt64? = nil) -> FollowUp {
    change { $0.finish(reason, sparing: run, at: { driver.clock.read() }) } ?? FollowUp()
  }

  /// Ends the timer if its owner is gone. Returns false in that case.
  @discardableResult
  func checkOwner() -> Bool {
    guard let owner, owner.isGone else { return true }
    finish(.ownerReleased)
    return false
  }
}
