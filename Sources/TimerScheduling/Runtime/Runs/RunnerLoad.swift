/// The work that waits in a pool, and the number of its workers that are blocked.
package struct RunnerLoad: Sendable {
  /// The number of runs and jobs that wait for a worker.
  package let waiting: Int
  /// The number of workers whose run blocks its thread or takes long, while others waited.
  package let blocked: Int
  /// The largest number of workers.
  package let limit: Int

  /// The line printed the first time the limit keeps a pool from replacing a blocked worker.
  var report: String {
    """
    TimerScheduling: \(blocked) actions block their threads or take long. There may be no more than \(limit) such \
    threads, so \(waiting) actions wait until one of them returns. Await instead of blocking. This is printed once.
    """
  }
}
