package import TimerScheduling

/// A weak reference to a scheduler.
final class SchedulerReference: Sendable {
  weak let scheduler: (any ClockClient)?

  init(_ scheduler: any ClockClient) { self.scheduler = scheduler }
}

extension VirtualClockCore: SchedulerClock {
  package var monitor: (any ConsumerMonitor)? { self }
  package var origin: Deadline { VirtualTime.beginning }

  package func makeExecutor(label: String) -> QueueExecutor {
    // Held weakly, as the core holds executors that have work.
    QueueExecutor(label: label, number: state.withLock { $0.makeNumber() }) { [weak self] executor in
      self?.workEnqueued(for: executor)
    }
  }

  package func requestPass(of scheduler: any ClockClient) {
    // A pending pass doesn't hold its scheduler.
    let pass: @Sendable () -> Void = { [weak scheduler] in
      if let scheduler { scheduler.executor.sync { scheduler.makePass() } }
    }
    state.withLock { state in
      state.time.set(
        VirtualWakeups.Wakeup(
          timeline: .monotonic, deadline: state.time.now.monotonic, deliver: pass,
          number: scheduler.executor.number, isArmed: false),
        for: ObjectIdentifier(scheduler))
    }
  }

  package func watchOwners(of scheduler: any ClockClient) {
    let reference = SchedulerReference(scheduler)
    state.withLock { state in
      if state.owned[scheduler.executor.number] == nil { state.owned[scheduler.executor.number] = reference }
    }
  }

  /// Looks if owners of timers are gone, and makes a stop one check interval later, at which their timers end.
  ///
  /// An owner can go only where code runs, so the clock looks wherever it has stopped.
  func lookForOrphans() {
    for (number, reference) in state.withLock({ $0.owned }) {
      guard let scheduler = reference.scheduler else {
        state.withLock { state in
          state.owned[number] = nil
          state.time.set(nil, for: ObjectIdentifier(reference))
        }
        continue
      }
      guard scheduler.hasOrphans else { continue }
      let check: @Sendable () -> Void = { [weak scheduler] in scheduler?.endOrphans() }
      state.withLock { state in
        state.time.addIfNone(
          VirtualWakeups.Wakeup(
            timeline: .monotonic, deadline: state.time.now.monotonic + scheduler.ownerCheckInterval,
            deliver: check, number: number, isArmed: false),
          for: ObjectIdentifier(reference))
      }
    }
  }

  private func workEnqueued(for executor: QueueExecutor) {
    state.withLock { $0.busyExecutors[executor.number] = executor }
  }

  package func makeWakeupSource(
    on timeline: Timeline, executor: QueueExecutor, onWakeup: @escaping @Sendable () -> Void
  ) -> any WakeupSource {
    VirtualWakeupSource(clock: self, timeline: timeline, number: executor.number) {
      executor.sync(onWakeup)
    }
  }

  func adopt(_ scheduler: any ClockClient) {
    let reference = SchedulerReference(scheduler)
    let references = state.withLock { state in
      state.schedulers.append(reference)
      return state.schedulers.count > state.mostSchedulers ? state.schedulers : []
    }
    guard !references.isEmpty else { return }
    // Removes the references of released schedulers. Reading one may release its scheduler, so that isn't done under
    // the lock.
    let gone = Set(references.filter { $0.scheduler == nil }.map { ObjectIdentifier($0) })
    state.withLock { state in
      state.schedulers.removeAll { gone.contains(ObjectIdentifier($0)) }
      state.mostSchedulers = 2 * state.schedulers.count + 16
    }
  }

  var schedulers: [any ClockClient] { state.withLock { $0.schedulers }.compactMap(\.scheduler) }

  /// Lets schedulers do their posted work, in the order in which the schedulers were made.
  ///
  /// Visits only schedulers to which work was posted since the last visit, so idle schedulers cost nothing.
  func finishPosted() {
    let executors = state.withLock { state in
      let executors = state.busyExecutors
      state.busyExecutors = [:]
      state.visitCount += executors.count
      return executors
    }
    for (_, executor) in executors.sorted(by: { $0.key < $1.key }) { executor.sync {} }
  }

  package func hold(_ lifeline: any AnyObject & Sendable) {
    state.withLock { state in
      if !state.isAbandoned { state.held[ObjectIdentifier(lifeline)] = lifeline }
    }
  }

  package func release(_ lifeline: any AnyObject & Sendable) {
    // The caller holds the lifeline, so this doesn't release it under the lock.
    state.withLock { _ = $0.held.removeValue(forKey: ObjectIdentifier(lifeline)) }
  }
}

/// A source through which a virtual clock wakes a scheduler.
private final class VirtualWakeupSource: WakeupSource {
  private let clock: VirtualClockCore
  private let timeline: Timeline
  private let number: UInt64
  private let deliver: @Sendable () -> Void

  init(
    clock: VirtualClockCore, timeline: Timeline, number: UInt64, deliver: @escaping @Sendable () -> Void
  ) {
    self.clock = clock
    self.timeline = timeline
    self.number = number
    self.deliver = deliver
  }

  deinit { disarm() }

  func arm(at deadline: Deadline) {
    set(VirtualWakeups.Wakeup(timeline: timeline, deadline: deadline, deliver: deliver, number: number))
  }

  func disarm() { set(nil) }

  func wakeupDelivered() {}

  private func set(_ wakeup: VirtualWakeups.Wakeup?) {
    clock.state.withLock { $0.time.set(wakeup, for: ObjectIdentifier(self)) }
  }
}
