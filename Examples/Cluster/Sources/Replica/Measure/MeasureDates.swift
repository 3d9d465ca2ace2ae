import ArgumentParser
import Foundation
import PostgresClient
import Synchronization
import TimerScheduling
import TimerSchedulingCluster

/// Counts the statements of replicas whose jobs are due together, and how late their runs begin.
struct MeasureDates: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "dates", abstract: "Count statements a date, and measure how late runs begin.")

  @Option(help: "The database: a connection string or URL of libpq.")
  var database = ReplicaOptions.defaultDatabase

  @Option(help: "The number of replicas, each with a scheduler and two connections of its own.")
  var replicas = 3

  @Option(help: "The number of jobs.")
  var jobs = 100

  @Option(help: "The seconds between two dates of a job.")
  var interval = 1.0

  @Option(help: "The seconds to measure.")
  var seconds = 20.0

  @Option(help: "The milliseconds by which each statement is delayed.")
  var delay = 0.0

  private final class Counts: Sendable {
    let statements = Mutex(0)
    let lateness = Mutex<[Double]>([])
    let failures = Mutex(0)
  }

  private struct FailureCount: TimerObserver {
    let counts: Counts
    func observe(_ event: TimerEvent) {
      if case .actionFailed = event.kind { counts.failures.withLock { $0 += 1 } }
    }
  }

  func run() async throws {
    let counts = Counts()
    var schedulers: [TimerScheduler] = []
    for number in 1...replicas {
      let client = PostgresClient(database, connections: 2)
      let store = PostgresTimerStore { [delay] sql, parameters in
        counts.statements.withLock { $0 += 1 }
        if delay > 0 { try await Task.sleep(for: .milliseconds(delay)) }
        return try await client.rows(sql, parameters)
      }
      if number == 1 { try await store.migrate() }
      schedulers.append(start(number, on: store, counting: counts))
    }
    try await schedulers[0].sleep(for: 5)
    counts.statements.withLock { $0 = 0 }
    counts.failures.withLock { $0 = 0 }
    counts.lateness.withLock { $0 = [] }
    try await schedulers[0].sleep(for: seconds)
    let (statements, failures) = (counts.statements.withLock(\.self), counts.failures.withLock(\.self))
    let lateness = counts.lateness.withLock { $0.sorted() }
    for scheduler in schedulers { await scheduler.shutdownAndWait() }
    func milliseconds(_ quantile: Double) -> Int {
      lateness.isEmpty ? 0 : Int((lateness[Int(Double(lateness.count - 1) * quantile)] * 1000).rounded())
    }
    let each = lateness.isEmpty ? 0 : (Double(statements) / Double(lateness.count) * 100).rounded() / 100
    print(
      "replicas | jobs | delay, ms | dates | statements a date | errors | late p50, ms | p99, ms | most, ms")
    print(
      replicas, jobs, delay, lateness.count, each, failures, milliseconds(0.5), milliseconds(0.99),
      milliseconds(1), separator: " | ")
  }

  private func start(_ number: Int, on store: PostgresTimerStore, counting counts: Counts) -> TimerScheduler {
    var configuration = TimerScheduler.Configuration()
    configuration.observer = FailureCount(counts: counts)
    let scheduler = TimerScheduler(configuration: configuration)
    let cluster = TimerCluster(store: store, replica: "replica \(number)")
    for job in 1...jobs {
      scheduler.schedule(
        .every(.seconds(interval), starting: .aligned), name: "dates \(job)", in: cluster
      ) { run in
        let lateness = Date().timeIntervalSince(run.scheduledDate)
        counts.lateness.withLock { $0.append(lateness) }
      }
    }
    return scheduler
  }
}
