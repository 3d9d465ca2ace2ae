import TimerScheduling
import TimerSchedulingCluster

/// The jobs that only `check` needs.
struct HarnessJobs {
  let options: ReplicaOptions
  let again: AbandonedRunBehavior
  let lease: Double
  let version: Int
  let job: Job

  /// An error with a text that a database in LATIN1 can't hold, and none a zero byte.
  private struct Broken: Error, CustomStringConvertible {
    var description: String { "kaputt: „ß“\0" }
  }

  func schedule(in cluster: TimerCluster) {
    var long = job
    long.duration = .seconds(lease * 1.5)
    cluster.schedule(dates(each: 16), name: "long", ifAbandoned: again) { [long] run in
      try await long.perform(run)
    }
    cluster.schedule(dates(each: 1), name: "fails") { [job] run in
      job.ledger.write("begin", run)
      job.ledger.write("failed", run)
      throw Broken()
    }
    // Both versions have the even dates.
    cluster.schedule(dates(each: Double(version)), name: "changes") { [job] run in
      try await job.perform(run)
    }
  }

  private func dates(each steps: Double) -> TimerSchedule {
    .every(.seconds(options.step * steps), starting: .aligned).missedTicks(.burst)
  }
}
