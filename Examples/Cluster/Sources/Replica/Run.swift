import ArgumentParser
import Foundation
import TimerScheduling
import TimerSchedulingCluster
import UnixSignals

/// Runs two jobs, and those of tenants, on the dates that this replica has claimed.
struct Run: AsyncParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Do the jobs, each date on one replica.")

  @OptionGroup var options: ReplicaOptions

  @Option(help: "How many seconds after its last sign of life a replica counts as dead.")
  var lease = 15.0

  @Option(help: "How often a date of the job `again`, or of a tenant, is begun at most.")
  var attempts = 3

  @Option(help: "The age in seconds up to which dates are caught up with.")
  var catchUp = 60.0

  @Option(help: "How many jobs of tenants run at a time on all replicas.")
  var limitInAll: Int?

  @Option(help: "How many jobs of tenants with the same key run at a time on all replicas.")
  var limitPerKey: Int?

  @Flag(help: "Don't notice that a run is cancelled, as code that blocks doesn't, for tests.")
  var stubborn = false

  @Option(help: "The version of the program, 1 or 2. It has three more jobs, for tests.")
  var version: Int?

  func validate() throws {
    guard lease >= 1, lease.isFinite else { throw ValidationError("A lease takes a second or more.") }
    guard catchUp >= 0, catchUp.isFinite else { throw ValidationError("An age is zero or more.") }
    guard attempts > 0 else { throw ValidationError("A date has one attempt or more.") }
    guard (limitInAll ?? 1) > 0, (limitPerKey ?? 1) > 0 else {
      throw ValidationError("A limit is one or more.")
    }
  }

  func run() async throws {
    var configuration = TimerScheduler.Configuration()
    configuration.observer = FailureLog()
    let scheduler = TimerScheduler(configuration: configuration)
    let database = try await options.database.open(timeLimit: .seconds(lease))
    let ends = await UnixSignalsSequence(trapping: .sigterm, .sigint)
    let ledger = Ledger(replica: options.name)
    ledger.writeStart()

    let cluster = TimerCluster(
      store: database.store, scheduler: scheduler, lease: .seconds(lease), replica: options.name)
    let job = Job(
      database: database, ledger: ledger, duration: .seconds(options.work), isStubborn: stubborn)
    let again = AbandonedRunBehavior.runAgain(attempts: attempts)
    let catchUp = Duration.seconds(catchUp)
    cluster.schedule(options.schedule, name: "once", catchUp: catchUp) { run in
      try await job.perform(run)
    }
    cluster.schedule(options.schedule, name: "again", ifAbandoned: again, catchUp: catchUp) { run in
      try await job.perform(run)
    }
    cluster.handle(
      Tenant.handler, limitInAll: limitInAll, limitPerKey: limitPerKey, ifAbandoned: again,
      ifFailed: .retry(attempts: attempts, backoff: .constant(.seconds(1))), catchUp: catchUp
    ) { run in try await job.perform(run) }
    if let version {
      HarnessJobs(options: options, again: again, lease: lease, version: version, job: job)
        .schedule(in: cluster)
    }
    try await scheduler.run { for await _ in ends { return } }
  }
}
