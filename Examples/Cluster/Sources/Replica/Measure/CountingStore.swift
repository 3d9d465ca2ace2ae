import PostgresClient
import Synchronization
import TimerSchedulingCluster

/// The store of the replicas that are measured, which counts their statements.
final class CountingStore: Sendable {
  private let database: String
  /// The time by which each statement is delayed.
  private let delay: Duration
  private let clients = Mutex<[PostgresClient]>([])
  /// The number of statements by the first line of their text.
  private let counts = Mutex<[String: Int]>([:])

  init(_ database: String, delay: Duration = .zero) async throws {
    (self.database, self.delay) = (database, delay)
    try await makeStore().migrate()
  }

  /// Returns the store of one replica, with two connections of its own.
  func makeStore() -> PostgresTimerStore {
    let client = PostgresClient(database, connections: 2)
    clients.withLock { $0.append(client) }
    return PostgresTimerStore { [self] sql, parameters in
      counts.withLock { $0[String(sql.prefix(80).prefix { $0 != "\n" }), default: 0] += 1 }
      if delay > .zero { try await Task.sleep(for: delay) }
      return try await client.rows(sql, parameters)
    }
  }

  /// Returns the number of statements since the last call, by the first line of their text.
  func take() -> [String: Int] {
    counts.withLock { counts in
      defer { counts = [:] }
      return counts
    }
  }

  /// Closes the connections of all replicas.
  func close() async {
    for client in clients.withLock(\.self) { await client.close() }
  }
}
