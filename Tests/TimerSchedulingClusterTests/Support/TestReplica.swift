import TestSupport
import TimerScheduling
import TimerSchedulingCluster
import TimerSchedulingTesting

/// One replica of a test: a scheduler with its view of the store.
struct TestReplica {
  let name: String
  let scheduler: TimerScheduler
  let store: FaultyStore
  let cluster: TimerCluster

  init(_ name: String, clock: VirtualClock, store: MemoryTimerStore, observer: (any TimerObserver)? = nil) {
    var configuration = TimerScheduler.Configuration.silent
    configuration.observer = observer
    self.name = name
    scheduler = TimerScheduler(clock: clock, configuration: configuration)
    self.store = FaultyStore(store)
    cluster = TimerCluster(store: self.store, scheduler: scheduler, replica: name)
  }

  /// Schedules a job of the program, each minute unless a schedule is given.
  @discardableResult
  func schedule(
    _ schedule: TimerSchedule = .every(.seconds(60), starting: .aligned), name: String = "job",
    ifAbandoned: AbandonedRunBehavior = .leave,
    perform action: @escaping @isolated(any) @Sendable (ClusterRun) async throws -> Void
  ) -> ClusterRegistration {
    cluster.schedule(schedule, name: name, ifAbandoned: ifAbandoned, perform: action)
  }

  /// Ends the replica as `kill -9` does: its run stops, and it sends nothing to the store any more.
  func die() {
    store.isReachable = false
    cluster.companion.driver.stop()
    scheduler.driver.stop()
  }
}
