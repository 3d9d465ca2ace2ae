package import TimerScheduling

/// A scheduler, which the clock doesn't keep alive.
final class SchedulerReference: Sendable {
  weak let scheduler: TimerScheduler?

  init(_ scheduler: TimerScheduler) { self.scheduler = scheduler }
}

extension VirtualClockCore: SchedulerClock {
  package var monitor: (any ConsumerMonitor)? { self }

  package var holder: (any SchedulerHolder)? { self }

  package func makeExecutor(label: String) -> QueueExecutor {
    // Held weakly, as the core holds executors that have work.
    QueueExecutor(label: label, number: state.withLock { $0.makeNumber() }) { [weak self] executor in
      self?.noteWork(for: executor)
    }
  }

  private func noteWork(for executor: QueueExecutor) {
    state.withLock { $0.busyExecutors[executor.number] = executor }
  }

  package func makeWakeupSource(
    on timeline: Timeline, executor: QueueExecutor, onWakeup: @escaping @Sendable () -> Void
  ) -> any WakeupSource {
    VirtualWakeupSource(clock: self, timeline: timeline, number: executor.number) {
      executor.sync(onWakeup)
    }
  }

  func adopt(_ scheduler: TimerScheduler) {
    let reference = SchedulerReference(scheduler)
    let references = state.withLock { state in
      state.schedulers.append(reference)
      return state.schedulers.count > state.mostSchedulers ? state.schedulers : []
    }
    guard !references.isEmpty else { return }
    // A good time to forget those that were released. Looking at one may release it, so not under the lock.
    let gone = Set(references.filter { $0.scheduler == nil }.map { ObjectIdentifier($0) })
    state.withLock { state in
      state.schedulers.removeAll { gone.contains(ObjectIdentifier($0)) }
      state.mostSchedulers = 2 * state.schedulers.count + 16
    }
  }

  var schedulers: [TimerScheduler] { state.withLock(\.schedulers).compactMap(\.scheduler) }

  /// Has every scheduler do what it was posted, in the order in which they were made.
  ///
  /// Visits only those to which work was posted since the last visit. Those that do nothing cost nothing.
  func finishPosted() {
    let executors = state.withLock { state in
      let executors = state.busyExecutors
      state.busyExecutors = [:]
      state.visitCount += executors.count
      return executors
    }
    for (_, executor) in executors.sorted(by: { $0.key < $1.key }) { executor.sync {} }
  }
}

extension VirtualClockCore: SchedulerHolder {
  package func hold(_ scheduler: any AnyObject & Sendable) {
    state.withLock { state in
      if !state.isAbandoned { state.held[ObjectIdentifier(scheduler)] = scheduler }
    }
  }

  package func release(_ scheduler: any AnyObject & Sendable) {
    // The caller holds it, so it isn't released under the lock.
    state.withLock { _ = $0.held.removeValue(forKey: ObjectIdentifier(scheduler)) }
  }
}

/// Has a clock wake a scheduler.
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

  func noteWakeup() {}

  private func set(_ wakeup: VirtualWakeups.Wakeup?) {
    clock.state.withLock { $0.time.set(wakeup, for: ObjectIdentifier(self)) }
  }
}
