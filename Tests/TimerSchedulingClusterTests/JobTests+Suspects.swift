import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingCluster
import TimerSchedulingTesting

/// Jobs that end their process.
extension JobTests {
  /// Starts a replica whose process ends with the payload "poison". Returns whether it lives after a while.
  private func serve(_ name: String, limit: Int, for duration: Duration) async -> Bool {
    let replica = makeReplica(name)
    replica.cluster.handle("mail", limit: limit, ifGivenUp: .put("dead")) { [clock, journal] run in
      try await clock.sleep(for: .milliseconds(20))
      if run.payload == "poison" { return replica.die() }
      try await clock.sleep(for: .milliseconds(280))
      if replica.store.isReachable { journal.note(run.name) }
    }
    replica.cluster.handle("dead", as: GivenUpJob.self) { [journal] job, _ in
      journal.note("\(job.name) dead")
    }
    await clock.advance(by: duration)
    return replica.store.isReachable
  }

  @Test(arguments: [100, 10])
  func `A job that ends its process takes no others with it`(limit: Int) async throws {
    let cluster = makeReplica("web").cluster
    try await cluster.put(
      (0..<100).map { NewJob(name: "j\($0)", handler: "mail", payload: $0 == 50 ? "poison" : "fine") })
    var starts = 1
    while await !serve("r\(starts)", limit: limit, for: .seconds(60)) { starts += 1 }
    #expect(starts == 4)
    let fine = (0..<100).filter { $0 != 50 }.map { "j\($0)" }
    #expect(journal.entries.sorted() == (fine + ["j50 dead"]).sorted())
    #expect(try await cluster.jobs(in: .failed).map(\.name) == ["j50"])
  }
}
