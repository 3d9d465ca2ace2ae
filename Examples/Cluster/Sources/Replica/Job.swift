import PostgresClient
import TimerScheduling
import TimerSchedulingCluster

/// The work of both jobs: they wait for a while, and write a row.
struct Job {
  let database: PostgresClient
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
      if case ClusterError.takenOver = error {
        ledger.write("fenced", run)
      } else {
        ledger.write("failed", run)
      }
      throw error
    }
  }

  /// Works, then writes the effect and ends the run in one transaction. Tries again when the connection fails, and when
  /// the transaction disturbs another.
  ///
  /// The replica's own scheduler is shut down while its last runs go on, so this waits on the shared one.
  private func work(_ run: ClusterRun) async throws {
    try await TimerScheduler.shared.sleep(for: duration)
    do {
      try await whenReachable {
        try await database.transaction { db in
          try await EffectTable.insert(
            job: run.name, date: run.scheduledDate, token: run.token, replica: ledger.replica, with: db)
          // Throws if another replica has taken the run over, and then nothing is written.
          try await run.finish { sql, parameters in try await db.rows(sql, parameters) }
        }
      }
    } catch ClusterError.alreadyEnded {
      // An earlier transaction was committed, and only its answer was lost.
    }
  }
}

extension Ledger {
  func write(_ event: String, _ run: ClusterRun) {
    write(event, job: run.name, date: run.scheduledDate, token: "\(run.token)", attempt: run.attempt)
  }
}
