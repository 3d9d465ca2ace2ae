package import TimerScheduling

/// A scheduler, which the clock doesn't keep alive.
final class SchedulerReference: Sendable {
  weak let scheduler: TimerScheduler?
  let executor: ObjectIdentifier
  /// Its place in the order in which schedulers were made.
  let number: UInt64

  init(_ scheduler: TimerScheduler, number: UInt64) {
    self.scheduler = scheduler
    executor = ObjectIdentifier(scheduler.executor)
    self.number = number
  }
}

extension VirtualClockCore: SchedulerClock {
  package var monitor: (any ConsumerMonitor)? { self }

  package var holder: (any SchedulerHolder)? { self }

  package func makeWakeupSource(
    on timeline: Timeline, executor: QueueExecutor, onWakeup: @escaping @Sendable () -> Void
  ) -> any WakeupSource {
    let number = state.withLock { state in
      // The newest, as one that is gone may have had the same address.
      state.schedulers.last { $0.executor == ObjectIdentifier(executor) }?.number
    }
    return VirtualWakeupSource(clock: self, timeline: timeline, number: number ?? 0) {
      executor.sync(onWakeup)
    }
  }

  func adopt(_ scheduler: TimerScheduler) {
    let reference = SchedulerReference(scheduler, number: state.withLock { $0.makeNumber() })
    // To look at the others may release one, so it isn't done under the lock.
    let gone = state.withLock(\.schedulers).filter { $0.scheduler == nil }
    state.withLock { state in
      state.schedulers.removeAll { other in gone.contains { $0 === other } }
      state.schedulers.append(reference)
    }
  }

  var schedulers: [TimerScheduler] { state.withLock(\.schedulers).compactMap(\.scheduler) }

  /// Has every scheduler do what it was posted.
  func finishPosted() {
    for scheduler in schedulers { scheduler.executor.sync {} }
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
    set(VirtualTime.Wakeup(timeline: timeline, deadline: deadline, deliver: deliver, number: number))
  }

  func disarm() { set(nil) }

  func noteWakeup() {}

  private func set(_ wakeup: VirtualTime.Wakeup?) {
    clock.state.withLock { $0.time.set(wakeup, for: ObjectIdentifier(self)) }
  }
}
