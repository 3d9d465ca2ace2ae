import ArgumentParser
import Foundation
import PostgresClient
import TimerScheduling
import TimerSchedulingCluster

/// Runs two jobs on the dates that this replica has claimed.
struct Run: AsyncParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Do the jobs, each date on one replica.")

  @OptionGroup var options: ReplicaOptions

  @Option(help: "How many seconds after its last sign of life a replica counts as dead.")
  var lease = 15.0

  @Option(help: "How often a date of the job `again` is begun at most.")
  var attempts = 3

  @Flag(help: "Don't notice that a run is cancelled, as code that blocks doesn't, for tests.")
  var stubborn = false

  @Option(help: "The version of the program, 1 or 2. It has three more jobs, for tests.")
  var version: Int?

  func validate() throws {
    guard lease >= 1, lease.isFinite else { throw ValidationError("A lease takes a second or more.") }
    guard attempts > 0 else { throw ValidationError("A date has one attempt or more.") }
  }

  func run() async throws {
    var configuration = TimerScheduler.Configuration()
    configuration.observer = FailureLog()
    let scheduler = TimerScheduler(configuration: configuration)
    let database = PostgresClient(options.database, timeLimit: .seconds(lease))
    // Claims have connections of their own, so that long transactions of jobs don't delay the renewal of leases.
    let claims = PostgresClient(options.database, connections: 2)
    let store = PostgresTimerStore { sql, parameters in try await claims.rows(sql, parameters) }
    try await whenReachable {
      try await store.migrate()
      try await EffectTable.make(in: database)
    }
    let end = EndSignal()
    let ledger = Ledger(replica: options.name)
    ledger.writeStart()

    let cluster = TimerCluster(store: store, lease: .seconds(lease), replica: options.name)
    let job = Job(
      database: database, ledger: ledger, duration: .seconds(options.work), isStubborn: stubborn)
    scheduler.schedule(options.schedule, name: "once", in: cluster) { run in try await job.perform(run) }
    scheduler.schedule(
      options.schedule, name: "again", in: cluster, ifAbandoned: .runAgain(attempts: attempts)
    ) { run in
      try await job.perform(run)
    }
    if let version {
      HarnessJobs(options: options, lease: lease, attempts: attempts, version: version, job: job)
        .schedule(on: scheduler, in: cluster)
    }
    try await scheduler.run { await end.wait() }
  }
}
