import TimerScheduling
import TimerSchedulingCluster

/// The work of all jobs: they wait for a while, and write a row.
struct Job {
  /// An error that a payload asks for.
  private struct NotReady: Error, CustomStringConvertible {
    var description: String { "not ready" }
  }

  let database: any JobDatabase
  let ledger: Ledger
  var duration: Duration
  /// Whether the job goes on after it was cancelled, until the fence stops it.
  let isStubborn: Bool

  func perform(_ run: ClusterRun) async throws {
    ledger.write("begin", run)
    do {
      if isStubborn {
        try await Task { try await work(run) }.value
      } else {
        try await work(run)
      }
      ledger.write("end", run)
    } catch {
      if case ClusterError.runTakenOver = error {
        ledger.write("fenced", run)
      } else {
        ledger.write("failed", run)
      }
      throw error
    }
  }

  /// Works, then writes the effect and ends the run in one transaction. A job that was put has a step before
  /// that. Tries again when the connection fails, and when a transaction disturbs another.
  ///
  /// A payload such as "2 failures" has the first attempts of a date fail. The replica's own scheduler is
  /// shut down while its last runs go on, so this waits on the shared one.
  private func work(_ run: ClusterRun) async throws {
    if !run.handler.isEmpty { try await whenReachable { try await database.begin(run) } }
    try await TimerScheduler.shared.sleep(for: duration)
    if run.payload.hasSuffix(" failures"), let failures = Int(run.payload.prefix { $0 != " " }),
      run.attempt <= failures
    {
      throw NotReady()
    }
    do {
      try await whenReachable { try await database.finish(run, by: ledger.replica) }
    } catch ClusterError.runEnded {
      // An earlier transaction was committed, and only its answer was lost.
    }
  }
}

extension Ledger {
  func write(_ event: String, _ run: ClusterRun) {
    write(event, job: run.name, date: run.scheduledDate, token: "\(run.token)", attempt: run.attempt)
  }
}
