import ArgumentParser
import Foundation
import Synchronization
import TimerScheduling
import TimerSchedulingCluster

/// Counts the statements of replicas whose jobs are due together, and how late their runs begin.
struct MeasureDates: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "dates", abstract: "Count statements a date, and measure how late runs begin.")

  @Option(help: "The database: a connection string or URL of libpq.")
  var database = ReplicaOptions.defaultDatabase

  @Option(help: "The numbers of replicas, each with a scheduler and two connections of its own.")
  var replicas = [1, 3, 10, 20]

  @Option(help: "The numbers of jobs.")
  var jobs = [1]

  @Option(help: "The milliseconds by which each statement is delayed.")
  var delay = [0.0, 5.0]

  @Option(help: "The seconds between two dates of a job.")
  var interval = 1.0

  @Option(help: "The seconds to measure.")
  var seconds = 20.0

  @Flag(help: "Print the statements by their first lines, too.")
  var texts = false

  /// The lateness and the failures of the runs of one round.
  private final class Round: TimerObserver {
    let lateness = Mutex<[Double]>([])
    let failures = Mutex(0)

    func observe(_ event: TimerEvent) {
      if case .actionFailed = event.kind { failures.withLock { $0 += 1 } }
    }
  }

  func run() async throws {
    print(
      """
      | replicas | jobs | delay, ms | dates | statements a date | errors | late p50, ms | p99, ms | most, ms |
      |---|---|---|---|---|---|---|---|---|
      """)
    for delay in delay {
      for jobs in jobs {
        for replicas in replicas { try await measure(replicas, jobs, delay) }
      }
    }
  }

  private func measure(_ replicas: Int, _ jobs: Int, _ delay: Double) async throws {
    let counting = try await CountingStore(database, delay: .milliseconds(delay))
    let round = Round()
    let schedulers = (1...replicas).map { start($0, jobs, on: counting.makeStore(), noting: round) }
    try await schedulers[0].sleep(for: 5)
    _ = counting.take()
    round.failures.withLock { $0 = 0 }
    round.lateness.withLock { $0 = [] }
    try await schedulers[0].sleep(for: seconds)
    let (counts, failures) = (counting.take(), round.failures.withLock(\.self))
    let lateness = round.lateness.withLock { $0.sorted() }
    for scheduler in schedulers { await scheduler.shutdownAndWait() }
    await counting.close()
    func milliseconds(_ quantile: Double) -> String {
      let index = Int(Double(lateness.count - 1) * quantile)
      return lateness.isEmpty ? "-" : "\(Int((lateness[index] * 1000).rounded()))"
    }
    func perDate(_ count: Int) -> Double {
      lateness.isEmpty ? 0 : (Double(count) / Double(lateness.count) * 100).rounded() / 100
    }
    let columns = [
      "\(replicas)", "\(jobs)", "\(delay)", "\(lateness.count)", "\(perDate(counts.values.reduce(0, +)))",
      "\(failures)", milliseconds(0.5), milliseconds(0.99), milliseconds(1),
    ]
    print("| \(columns.joined(separator: " | ")) |")
    if texts { for (sql, count) in counts { print("  \(perDate(count)) × \(sql)") } }
  }

  private func start(
    _ number: Int, _ jobs: Int, on store: some TimerStore, noting round: Round
  ) -> TimerScheduler {
    var configuration = TimerScheduler.Configuration()
    configuration.observer = round
    let scheduler = TimerScheduler(configuration: configuration)
    let cluster = TimerCluster(store: store, replica: "replica \(number)")
    for job in 1...jobs {
      scheduler.schedule(
        .every(.seconds(interval), starting: .aligned), name: "dates \(job)", in: cluster
      ) { run in
        let lateness = Date().timeIntervalSince(run.scheduledDate)
        round.lateness.withLock { $0.append(lateness) }
      }
    }
    return scheduler
  }
}
