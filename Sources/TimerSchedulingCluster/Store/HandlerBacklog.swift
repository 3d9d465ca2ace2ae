public import TimerSchedulingFoundation

/// The numbers of a handler's jobs by state, and the age of the oldest that is due. Counts end at 10,000.
public struct HandlerBacklog: Sendable, Hashable, Identifiable, Codable {
  /// The name of the handler.
  public var handler: String
  /// The number of jobs that are due and that no replica runs. Those that are paused by themselves don't
  /// count.
  public private(set) var dueCount = 0
  /// The moment from which the oldest of these is due. Nil if none is.
  public var oldestDue: Date? { oldestTime?.date }
  /// The number of runs under way.
  public private(set) var runningCount = 0
  /// The number of jobs that wait for another attempt.
  public private(set) var retryingCount = 0
  /// The number of jobs that have failed for good or were abandoned.
  public private(set) var failedCount = 0
  /// Whether the handler or the cluster is paused.
  public package(set) var isPaused = false
  private var oldestTime: StoreTime?

  /// The name of the handler.
  public var id: String { handler }

  init(handler: String) { self.handler = handler }

  /// Adds jobs in a state, of which the first is due from a moment on.
  mutating func add(_ count: Int, _ state: ClusterJob.State, first: StoreTime?) {
    switch state {
    case .due:
      dueCount = min(dueCount + count, 10_000)
      oldestTime = [oldestTime, first].compactMap(\.self).min()
    case .running: runningCount = min(runningCount + count, 10_000)
    case .retrying: retryingCount = min(retryingCount + count, 10_000)
    case .failed: failedCount = min(failedCount + count, 10_000)
    case .waiting, .paused: break
    }
  }

  private enum CodingKeys: String, CodingKey {
    case handler, isPaused
    case dueCount = "due"
    case oldestTime = "oldest"
    case runningCount = "running"
    case retryingCount = "retrying"
    case failedCount = "failed"
  }
}
