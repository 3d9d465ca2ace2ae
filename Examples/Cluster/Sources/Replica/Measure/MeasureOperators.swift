import ArgumentParser
import Foundation
import TimerScheduling
import TimerSchedulingCluster

/// Puts, lists, pauses and resumes many jobs, while another process runs dates each second.
struct MeasureOperators: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "operators",
    abstract: "Measure what an operator's calls on many jobs take, and what they do to another process.")

  @OptionGroup var database: DatabaseOptions

  @Option(help: "The number of jobs.")
  var jobs = 100_000

  @Option(help: "The seconds for which the other process is measured.")
  var seconds = 60.0

  func run() async throws {
    let dates = try startDates()
    // The other process has begun to measure by then.
    try await Task.sleep(for: .seconds(8))
    let database = try await database.open()
    let cluster = TimerCluster(store: database.store)
    var took: [String: [Duration]] = [:]
    func time(_ call: String, _ perform: () async throws -> Void) async throws {
      let began = ContinuousClock.now
      try await perform()
      took[call, default: []].append(ContinuousClock.now - began)
    }
    let tomorrow = Date(timeIntervalSinceNow: 86_400)
    for first in stride(from: 0, to: jobs, by: 100) {
      let tenants = (first..<min(first + 100, jobs)).map { number in
        Tenant(
          name: "tenant \(number)", payload: "\(number)",
          schedule: .every(.seconds(86_400), starting: .at(tomorrow)))
      }
      try await time("put of 100 jobs") { try await database.put(tenants, in: cluster) }
    }
    while dates.isRunning {
      var page: [ClusterJob] = []
      repeat {
        try await time("page of 1,000 jobs") {
          page = try await cluster.jobs(after: page.last?.name, limit: 1_000)
        }
      } while !page.isEmpty
      for _ in 0..<20 {
        try await time("backlogs of all handlers") { _ = try await cluster.backlogs() }
        try await time("page of failed jobs") { _ = try await cluster.jobs(in: .failed) }
        try await time("pause of the handler") { try await cluster.pause(handler: Tenant.handler) }
        try await time("resume of the handler") { try await cluster.resume(handler: Tenant.handler) }
      }
      for number in 0..<min(200, jobs) {
        try await time("pause of a job") { try await cluster.pause("tenant \(number)") }
        try await time("resume of a job") { try await cluster.resume("tenant \(number)") }
      }
    }
    print("| call | times | p50, ms | most, ms |")
    print("|---|---|---|---|")
    for (call, durations) in took.sorted(by: { $0.key < $1.key }) {
      let result = Load.Result(latencies: durations.sorted(), seconds: 0)
      let columns = [0.5, 1].map { "\((result.milliseconds($0) * 10).rounded() / 10)" }
      print("| \(call) | \(durations.count) | \(columns.joined(separator: " | ")) |")
    }
  }

  /// Starts this program with jobs of each second, whose runs take half of it, and prints what it measures.
  private func startDates() throws -> Process {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    process.arguments =
      ["measure", "dates", "--replicas", "1", "--jobs", "10", "--delay", "0", "--work", "0.5"]
      + ["--seconds", "\(seconds)"]
      + (database.postgres.map { ["--postgres", $0] } ?? ["--file", database.file])
    try process.run()
    return process
  }
}
