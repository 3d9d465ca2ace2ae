import Foundation
import TestSupport
import TimerScheduling
import TimerSchedulingCluster
import TimerSchedulingTesting

/// The clock and the store that a test's replicas share. The replicas die with it.
final class TestCluster: Sendable {
  let clock: VirtualClock
  let store: MemoryTimerStore
  /// The date at which the clock began.
  let start: Date
  fileprivate let replicas = Journal<TestReplica>()

  init() {
    let clock = VirtualClock(settlingTimeout: .seconds(60))
    self.clock = clock
    store = MemoryTimerStore { clock.date }
    start = clock.date
  }

  /// Returns a replica by its name.
  func replica(named name: String?) -> TestReplica? { replicas.entries.first { $0.name == name } }

  deinit {
    for replica in replicas.entries { replica.die() }
  }
}

/// A suite whose tests make replicas on a clock and a store of their own.
protocol ClusterSuite {
  var shared: TestCluster { get }
}

extension ClusterSuite {
  var clock: VirtualClock { shared.clock }
  var store: MemoryTimerStore { shared.store }
  var start: Date { shared.start }

  /// Makes a replica without jobs. It dies with the test.
  func makeReplica(
    _ name: String, clock: VirtualClock? = nil, store: MemoryTimerStore? = nil,
    observer: (any TimerObserver)? = nil
  ) -> TestReplica {
    let (clock, store) = (clock ?? self.clock, store ?? self.store)
    let replica = TestReplica(name, clock: clock, store: store, observer: observer)
    shared.replicas.note(replica)
    return replica
  }
}
