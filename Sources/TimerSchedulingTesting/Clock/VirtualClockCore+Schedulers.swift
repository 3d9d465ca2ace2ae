package import TimerScheduling

/// A weak reference to a scheduler, with a key for the check of its owners.
final class SchedulerReference: Sendable {
  weak let scheduler: TimerDriver?
  let key: UInt64

  init(_ scheduler: TimerDriver, key: UInt64) {
    self.scheduler = scheduler
    self.key = key
  }
}

extension VirtualClockCore: SchedulerClock, VirtualSchedulers {
  package var virtual: (any VirtualSchedulers)? { self }
  package var origin: Deadline { VirtualTime.beginning }

  package func makeExecutor(label: String) -> QueueExecutor {
    let number = makeNumber()
    return QueueExecutor(label: label, number: number) { [world, taskMaker] work in
      world.add(ReadyWork(kind: .block(work, taskMaker), member: nil, lane: number))
    }
  }

  package func requestPass(of scheduler: TimerDriver) {
    state.withLock { state in
      _ = state.time.set(pass(of: scheduler, at: state.time.now), for: scheduler.executor.number)
    }
    // A thread outside may have asked, while time moves by itself and nothing was due.
    if world.isOfBody { world.wake() }
  }

  /// Returns a pass that is due at once. It doesn't hold its scheduler.
  private func pass(of scheduler: TimerDriver, at now: ClockReading) -> VirtualTime.Event {
    VirtualTime.Event(
      timeline: .monotonic, deadline: now.monotonic, kind: .pass, scheduler: scheduler.executor.number,
      deliver: { [weak scheduler] _ in
        if let scheduler { scheduler.executor.sync { scheduler.makePass() } }
      })
  }

  /// The passes by which schedulers notice at once that their wall clock was set.
  var allPasses: [VirtualTime.Event] {
    let (schedulers, now) = state.withLock { ($0.schedulers, $0.time.now) }
    return schedulers.compactMap { $0.scheduler.map { pass(of: $0, at: now) } }
  }

  package func watchOwners(of scheduler: TimerDriver) {
    let reference = SchedulerReference(scheduler, key: makeNumber())
    state.withLock { state in
      if state.owned[scheduler.executor.number] == nil { state.owned[scheduler.executor.number] = reference }
    }
  }

  /// Looks if owners of timers are gone, and makes a stop one check interval later, at which their timers
  /// end.
  ///
  /// An owner can go only where code runs, so the clock looks wherever it has stopped.
  func lookForOrphans() {
    let owned = state.withLock { $0.owned.isEmpty ? nil : $0.owned }
    for (number, reference) in owned ?? [:] {
      guard let scheduler = reference.scheduler else {
        state.withLock { state in
          state.owned[number] = nil
          _ = state.time.set(nil, for: reference.key)
        }
        continue
      }
      guard scheduler.hasOrphans else { continue }
      let check: VirtualTime.Delivery = { [weak scheduler] _ in scheduler?.endOrphans() }
      state.withLock { state in
        guard !state.time.contains(reference.key) else { return }
        let event = VirtualTime.Event(
          timeline: .monotonic, deadline: state.time.now.monotonic + scheduler.ownerCheckInterval,
          kind: .pass,
          scheduler: number, deliver: check)
        _ = state.time.set(event, for: reference.key)
      }
    }
  }

  package func makeWakeupSource(
    on timeline: Timeline, executor: QueueExecutor, onWakeup: @escaping @Sendable () -> Void
  ) -> any WakeupSource {
    VirtualWakeupSource(of: self, on: timeline, for: executor, onWakeup)
  }

  func adopt(_ scheduler: TimerDriver) {
    let reference = SchedulerReference(scheduler, key: 0)
    let references = state.withLock { state -> [SchedulerReference]? in
      if state.hasEnded { return nil }
      state.schedulers.append(reference)
      return state.schedulers.count > state.mostSchedulers ? state.schedulers : []
    }
    guard let references else { return scheduler.abandon() }
    if references.isEmpty { return }
    // Removes the references of released schedulers. Reading one may release its scheduler, so that isn't
    // done under the lock.
    let gone = Set(references.filter { $0.scheduler == nil }.map { ObjectIdentifier($0) })
    state.withLock { state in
      state.schedulers.removeAll { gone.contains(ObjectIdentifier($0)) }
      state.mostSchedulers = 2 * state.schedulers.count + 16
    }
  }
}

/// A source through which a virtual clock wakes a scheduler.
private final class VirtualWakeupSource: WakeupSource {
  private let clock: VirtualClockCore
  private let timeline: Timeline
  private let key: UInt64
  private let scheduler: UInt64
  private let deliver: VirtualTime.Delivery

  init(
    of clock: VirtualClockCore, on timeline: Timeline, for executor: QueueExecutor,
    _ onWakeup: @escaping @Sendable () -> Void
  ) {
    self.clock = clock
    self.timeline = timeline
    key = clock.makeNumber()
    scheduler = executor.number
    deliver = { _ in executor.sync(onWakeup) }
  }

  deinit { disarm() }

  func arm(at deadline: Deadline) {
    let event = VirtualTime.Event(
      timeline: timeline, deadline: deadline, kind: .wakeup, scheduler: scheduler, deliver: deliver)
    set(event)
  }

  func disarm() { set(nil) }

  private func set(_ event: VirtualTime.Event?) {
    let old = clock.state.withLock { $0.time.set(event, for: key) }
    // Released outside the lock.
    withExtendedLifetime(old) {}
  }
}
