import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingCluster
import TimerSchedulingTesting

/// Jobs that a program puts into the store, what operators do with them, and what becomes of their dates.
@Suite(.limited, .guarantee("G167")) struct JobTests: ClusterSuite {
  struct Broken: Error {}

  let shared = TestCluster()
  let journal = Journal<String>()
  let minutely = TimerSchedule.every(.seconds(60), starting: .aligned)

  /// The journal's entries of a job without a payload, after its name.
  var attempts: [String] {
    journal.entries.map { $0.split(separator: " ").dropFirst().joined(separator: " ") }
  }

  /// Starts a replica with a handler whose runs take a second. Those before `working` fail.
  @discardableResult
  func replica(
    _ name: String, handler: String? = "report", ifAbandoned: AbandonedRunBehavior = .leave,
    ifFailed: FailedRunBehavior = .leave, catchUp: Duration = .seconds(86_400), work: Duration = .seconds(1),
    working: Double = 0, limit: Int = 10_000, observer: (any TimerObserver)? = nil
  ) -> TestReplica {
    let replica = makeReplica(name, observer: observer)
    guard let handler else { return replica }
    replica.cluster.handle(
      handler, limit: limit, ifAbandoned: ifAbandoned, ifFailed: ifFailed, catchUp: catchUp
    ) { [clock, journal, start] run in
      let now = clock.date.timeIntervalSince(start)
      let date = Int(run.scheduledDate.timeIntervalSince(start))
      journal.note("\(run.name) \(run.payload) \(date).\(run.attempt) at \(Int(now))")
      try await clock.sleep(for: work)
      if now < working { throw Broken() }
    }
    return replica
  }
}
