import Synchronization
import TimerSchedulingCluster

/// Passes requests on to the store of one replica, and counts them.
///
/// A request is one statement of PostgreSQL, or one transaction of SQLite.
struct CountingStore: TimerStore {
  /// The number of requests of all replicas, by their kinds.
  final class Counts: Sendable {
    private let counts = Mutex<[String: Int]>([:])

    func add(_ name: String) { counts.withLock { $0[name, default: 0] += 1 } }

    /// Returns the numbers since the last call.
    func take() -> [String: Int] {
      counts.withLock { counts in
        defer { counts = [:] }
        return counts
      }
    }
  }

  let store: any TimerStore
  let counts: Counts
  /// The time by which each request is delayed.
  var delay = Duration.zero

  func perform(_ request: StoreRequest) async throws -> StoreAnswer {
    counts.add(request.name)
    if delay > .zero { try await Task.sleep(for: delay) }
    return try await store.perform(request)
  }

  func watch(_ changed: @escaping @Sendable () -> Void) async throws { try await store.watch(changed) }
}
