import ArgumentParser
import Foundation
import TimerScheduling
import TimerSchedulingCluster

/// Counts what replicas ask that handle many jobs in the store: first with none due, then with many each
/// second.
struct MeasureJobs: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "jobs", abstract: "Measure replicas beside many jobs in the store.")

  @OptionGroup var database: DatabaseOptions

  @Option(help: "The number of jobs.")
  var jobs = 100_000

  @Option(help: "The numbers of jobs that are due each second.")
  var due = [0, 1_000]

  @Option(help: "The number of replicas in this process, each with a scheduler and connections of its own.")
  var replicas = 3

  @Option(help: "The seconds to measure.")
  var seconds = 30

  func run() async throws {
    let database = try await database.open()
    print(
      """
      | replicas | jobs | due a second | run a second | requests a second | errors | late p50, ms | p99, ms | process, MB |
      |---|---|---|---|---|---|---|---|---|
      """)
    for due in due {
      try await put(due, into: database)
      try await measure(due)
    }
  }

  /// Puts all jobs, a thousand in each transaction.
  private func put(_ due: Int, into database: any JobDatabase) async throws {
    let cluster = TimerCluster(store: database.store)
    let interval = Duration.seconds(due == 0 ? 86_400 : Double(jobs) / Double(due))
    let (tomorrow, began) = (Date(timeIntervalSinceNow: 86_400), ContinuousClock.now)
    for first in stride(from: 0, to: jobs, by: 1_000) {
      let tenants = (first..<min(first + 1_000, jobs)).map { number in
        let name = "tenant \(number)"
        let start = due == 0 ? TimerSchedule.Start.at(tomorrow) : .spread(by: name, over: interval)
        return Tenant(name: name, payload: "\(number)", schedule: .every(interval, starting: start))
      }
      try await database.put(tenants, in: cluster)
    }
    note("\(jobs) jobs were put in \(Int((ContinuousClock.now - began) / .seconds(1))) s.")
  }

  private func measure(_ due: Int) async throws {
    let (runs, counts) = (MeasuredRuns(), CountingStore.Counts())
    var schedulers: [TimerScheduler] = []
    for number in 1...replicas {
      let scheduler = runs.makeScheduler()
      let store = CountingStore(store: try await database.open().store, counts: counts)
      let cluster = TimerCluster(store: store, scheduler: scheduler, replica: "replica \(number)")
      cluster.handle(Tenant.handler, limit: 1_000) { run in runs.note(run) }
      schedulers.append(scheduler)
    }
    // The first claim of each job that was put finds its next date.
    let began = ContinuousClock.now
    var calm = 0
    // Replicas that don't catch up are measured all the same.
    for _ in 0..<300 where calm < 5 {
      try await schedulers[0].sleep(for: 1)
      let (counted, look) = (counts.take(), runs.take())
      let isBehind = due == 0 ? counted["end"] != nil : look.count == 0 || look.lateness[look.count / 2] > 1
      calm = isBehind ? 0 : calm + 1
    }
    note("The replicas had caught up after \(Int((ContinuousClock.now - began) / .seconds(1))) s.")
    try await schedulers[0].sleep(for: Double(seconds))
    let (counted, look) = (counts.take(), runs.take())
    let memory = Self.residentMegabytes
    for scheduler in schedulers { await scheduler.shutdownAndWait() }
    func perSecond(_ count: Int) -> String { "\(Double(count * 10 / seconds) / 10)" }
    let columns = [
      "\(replicas)", "\(jobs)", "\(due)", perSecond(look.count), perSecond(counted.values.reduce(0, +)),
      "\(look.failures)", look.milliseconds(0.5), look.milliseconds(0.99), memory,
    ]
    print("| \(columns.joined(separator: " | ")) |")
    note(counted.sorted { $0.value > $1.value }.map { "\($0.value) × \($0.key)" }.joined(separator: ", "))
  }

  private func note(_ text: String) { FileHandle.standardError.write(Data("\(text)\n".utf8)) }

  /// The memory of this process, on Linux.
  private static var residentMegabytes: String {
    let pages = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ")
    guard let pages, pages.count > 1, let resident = Int(pages[1]) else { return "-" }
    return "\(resident * Int(sysconf(Int32(_SC_PAGESIZE))) / 1_000_000)"
  }
}
