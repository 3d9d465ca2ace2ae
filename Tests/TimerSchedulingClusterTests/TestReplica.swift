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
    var configuration = TimerScheduler.Configuration()
    configuration.observer = observer
    self.name = name
    scheduler = TimerScheduler(clock: clock, configuration: configuration)
    self.store = FaultyStore(store)
    cluster = TimerCluster(store: self.store, replica: name)
  }

  /// Ends the replica as `kill -9` does: its run stops, and it sends nothing to the store any more.
  func die() {
    store.isReachable = false
    cluster.companion?.context.stop()
    scheduler.context.stop()
  }
}
