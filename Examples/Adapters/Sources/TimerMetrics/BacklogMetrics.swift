public import Foundation
public import Metrics
import Synchronization
public import TimerSchedulingCluster

/// Exports what is waiting of a cluster's jobs, as of when it is told to.
///
/// | gauge | what |
/// |---|---|
/// | `timer_jobs_due` | jobs that are due and that no replica runs |
/// | `timer_jobs_oldest_due_seconds` | how long the oldest of them has been due |
/// | `timer_jobs_running` | runs under way |
/// | `timer_jobs_retrying` | jobs that wait for another attempt |
/// | `timer_jobs_failed` | jobs that have failed for good |
///
/// All have one dimension, `handler`. Counts end at 10,000. A handler with nothing that waits has zeros.
///
/// ```swift
/// let metrics = BacklogMetrics()
/// scheduler.schedule(.every(.seconds(15))) { _ in metrics.update(with: try await cluster.backlogs()) }
/// ```
public final class BacklogMetrics: Sendable {
  /// A sentence for each metric, by its label, for backends that export one.
  public static let descriptions = [
    "timer_jobs_due": "Jobs that are due and that no replica runs, by handler.",
    "timer_jobs_oldest_due_seconds": "Time since the oldest of these is due, by handler.",
    "timer_jobs_running": "Runs under way, by handler.",
    "timer_jobs_retrying": "Jobs that wait for another attempt, by handler.",
    "timer_jobs_failed": "Jobs that have failed for good, by handler.",
  ]

  private struct HandlerMetrics {
    let due, oldest, running, retrying, failed: Meter

    init(_ handler: String, _ factory: any MetricsFactory) {
      func meter(_ label: String) -> Meter {
        Meter(label: "timer_jobs_" + label, dimensions: [("handler", handler)], factory: factory)
      }
      (due, oldest, running) = (meter("due"), meter("oldest_due_seconds"), meter("running"))
      (retrying, failed) = (meter("retrying"), meter("failed"))
    }
  }

  private let factory: any MetricsFactory
  /// Guards the metrics of each handler.
  private let metrics = Mutex<[String: HandlerMetrics]>([:])

  /// Creates the metrics of a cluster.
  ///
  /// - Parameter factory: Where the metrics are made.
  public init(factory: any MetricsFactory = MetricsSystem.factory) { self.factory = factory }

  /// Has the metrics show backlogs.
  ///
  /// - Parameters:
  ///   - backlogs: The answer of `TimerCluster.backlogs()`.
  ///   - date: The date of the answer.
  public func update(with backlogs: [HandlerBacklog], at date: Date = Date()) {
    metrics.withLock { metrics in
      let known = Dictionary(uniqueKeysWithValues: backlogs.map { ($0.handler, $0) })
      for handler in Set(metrics.keys).union(known.keys) {
        let own = metrics[handler] ?? HandlerMetrics(handler, factory)
        metrics[handler] = own
        let backlog = known[handler]
        own.due.set(backlog?.dueCount ?? 0)
        own.oldest.set(max(0, backlog?.oldestDue.map { date.timeIntervalSince($0) } ?? 0))
        own.running.set(backlog?.runningCount ?? 0)
        own.retrying.set(backlog?.retryingCount ?? 0)
        own.failed.set(backlog?.failedCount ?? 0)
      }
    }
  }
}
