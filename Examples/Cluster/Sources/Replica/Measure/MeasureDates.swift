import ArgumentParser
import TimerScheduling
import TimerSchedulingCluster

/// Counts the requests of replicas whose jobs are due together, and how late their runs begin.
struct MeasureDates: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "dates", abstract: "Count requests a date, and measure how late runs begin.")

  @OptionGroup var database: DatabaseOptions

  @Option(help: "The numbers of replicas, each with a scheduler and connections of its own.")
  var replicas = [1, 3, 10, 20]

  @Option(help: "The numbers of jobs.")
  var jobs = [1]

  @Option(help: "The milliseconds by which each request is delayed.")
  var delay = [0.0, 5.0]

  @Option(help: "The seconds between two dates of a job.")
  var interval = 1.0

  @Option(help: "The seconds that a run takes. One that is cancelled is an error.")
  var work = 0.0

  @Option(help: "The seconds to measure.")
  var seconds = 20.0

  @Flag(help: "Print the requests by their kinds, too.")
  var kinds = false

  func run() async throws {
    print(
      """
      | replicas | jobs | delay, ms | dates | requests a date | errors | late p50, ms | p99, ms | most, ms |
      |---|---|---|---|---|---|---|---|---|
      """)
    for delay in delay {
      for jobs in jobs {
        for replicas in replicas { try await measure(replicas, jobs, delay) }
      }
    }
  }

  private func measure(_ replicas: Int, _ jobs: Int, _ delay: Double) async throws {
    let (runs, counts) = (MeasuredRuns(), CountingStore.Counts())
    var schedulers: [TimerScheduler] = []
    for number in 1...replicas {
      let store = CountingStore(
        store: try await database.open().store, counts: counts, delay: .milliseconds(delay))
      schedulers.append(start(number, jobs, on: store, noting: runs))
    }
    try await schedulers[0].sleep(for: 5)
    _ = (counts.take(), runs.take())
    try await schedulers[0].sleep(for: seconds)
    let (counted, look) = (counts.take(), runs.take())
    for scheduler in schedulers { await scheduler.shutdownAndWait() }
    func perDate(_ count: Int) -> Double {
      look.count == 0 ? 0 : (Double(count) / Double(look.count) * 100).rounded() / 100
    }
    let columns = [
      "\(replicas)", "\(jobs)", "\(delay)", "\(look.count)", "\(perDate(counted.values.reduce(0, +)))",
      "\(look.failures)", look.milliseconds(0.5), look.milliseconds(0.99), look.milliseconds(1),
    ]
    print("| \(columns.joined(separator: " | ")) |")
    if kinds { for (name, count) in counted { print("  \(perDate(count)) × \(name)") } }
  }

  private func start(
    _ number: Int, _ jobs: Int, on store: some TimerStore, noting runs: MeasuredRuns
  ) -> TimerScheduler {
    let scheduler = runs.makeScheduler()
    let cluster = TimerCluster(store: store, scheduler: scheduler, replica: "replica \(number)")
    for job in 1...jobs {
      cluster.schedule(.every(.seconds(interval), starting: .aligned), name: "dates \(job)") { [work] run in
        runs.note(run)
        if work > 0 { try await runs.notingFailure { try await Task.sleep(for: .seconds(work)) } }
      }
    }
    return scheduler
  }
}
