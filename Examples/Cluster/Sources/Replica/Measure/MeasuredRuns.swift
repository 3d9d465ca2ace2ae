import Foundation
import Synchronization
import TimerScheduling
import TimerSchedulingCluster

/// The lateness of runs, and the failures of runs and requests, since the last look.
final class MeasuredRuns: TimerObserver {
  struct Look {
    /// In seconds, in ascending order.
    var lateness: [Double]
    var failures: Int

    var count: Int { lateness.count }

    /// A quantile of the lateness in milliseconds.
    func milliseconds(_ quantile: Double) -> String {
      guard !lateness.isEmpty else { return "-" }
      return "\(Int((lateness[Int(Double(count - 1) * quantile)] * 1000).rounded()))"
    }
  }

  private let lateness = Mutex<[Double]>([])
  private let failures = Mutex(0)

  func note(_ run: ClusterRun) {
    let seconds = Date().timeIntervalSince(run.scheduledDate)
    lateness.withLock { $0.append(seconds) }
  }

  /// Counts an error of an operation, such as that of a run that is cancelled.
  func notingFailure(_ operation: () async throws -> Void) async throws {
    do {
      try await operation()
    } catch {
      failures.withLock { $0 += 1 }
      throw error
    }
  }

  func observe(_ event: TimerEvent) {
    guard case .actionFailed = event.kind else { return }
    failures.withLock { $0 += 1 }
    FailureLog().observe(event)
  }

  func take() -> Look {
    let (lateness, failures) = (
      lateness.withLock { lateness in
        defer { lateness = [] }
        return lateness
      },
      failures.withLock { failures in
        defer { failures = 0 }
        return failures
      }
    )
    return Look(lateness: lateness.sorted(), failures: failures)
  }

  /// Makes a scheduler with this observer.
  func makeScheduler() -> TimerScheduler {
    var configuration = TimerScheduler.Configuration()
    configuration.observer = self
    return TimerScheduler(configuration: configuration)
  }
}
