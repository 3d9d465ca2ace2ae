import TimerScheduling
import TimerSchedulingCluster

/// A store's answer on the jobs of a cluster.
enum ClusterLook {
  case jobs([ClusterJob], history: [ClusterRunRecord], pauses: [ClusterPause])
  /// The store hasn't answered.
  case failed(String)

  /// The number of runs of the history that the page shows.
  private static let historyLength = 20
  /// The greatest number of jobs that it shows.
  static let jobCount = 200

  /// Asks the store, and gives up after two seconds, so that the page comes even when a database doesn't answer.
  init(at cluster: TimerCluster, search: String) async {
    do {
      self = try await withTimeout(2) {
        .jobs(
          try await cluster.jobs(matching: search, limit: Self.jobCount),
          history: try await cluster.history(limit: Self.historyLength), pauses: try await cluster.pauses())
      }
    } catch {
      self = .failed("\(error)")
    }
  }
}
