#if PostgreSQL
import ArgumentParser
import Foundation
import PostgresClient
import TimerScheduling
import UnixSignals

/// The same jobs in a common way, for comparison: the replica that has an advisory lock does all.
///
/// It asks for the lock again before each date, in the session that has it, so it never relies on an old
/// answer.
struct Lead: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Do the jobs while this replica has an advisory lock, to compare with.")

  @OptionGroup var options: ReplicaOptions

  func run() async throws {
    guard let url = options.database.postgres else { throw ValidationError("This needs --postgres.") }
    let scheduler = TimerScheduler()
    let ledger = Ledger(replica: options.name)
    let (name, work) = (options.name, Duration.seconds(options.work))
    let database = PostgresClient(url, timeLimit: .seconds(2))
    let election = PostgresClient(url, connections: 1, timeLimit: .seconds(2))
    try await whenReachable { try await EffectTable.make(in: database) }
    let ends = await UnixSignalsSequence(trapping: .sigterm, .sigint)
    ledger.writeStart()

    for job in ["once", "again"] {
      scheduler.schedule(options.schedule, name: job) { tick in
        guard try await election.rows("SELECT pg_try_advisory_lock(1)") == [["t"]] else { return }
        let date = tick.scheduledDate
        ledger.write("begin", job: job, date: date, token: "none", attempt: 1)
        try await TimerScheduler.shared.sleep(for: work)
        try await database.transaction { db in
          try await EffectTable.insert(job: job, date: date, token: nil, replica: name, with: db)
        }
        ledger.write("end", job: job, date: date, token: "none", attempt: 1)
      }
    }
    try await scheduler.run { for await _ in ends { return } }
  }
}
#endif
