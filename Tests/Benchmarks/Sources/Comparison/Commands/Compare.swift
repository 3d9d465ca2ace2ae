import ArgumentParser
import Foundation

/// All measurements, each in a process of its own.
struct Compare: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Measures everything, and prints how the others compare with this package.")

  @Option(help: "How often to measure. The tables show medians.")
  var runs = 3

  @Option(parsing: .upToNextOption, help: "What to do, instead of everything.")
  var workload: [WorkloadName] = []

  @Option(parsing: .upToNextOption, help: "With which timers, instead of all.")
  var peer: [PeerName] = []

  @Option(parsing: .upToNextOption, help: "With how many timers, instead of those that are usual.")
  var count: [Int] = []

  @Option(help: "The file to which the results are appended.")
  var results = "results.jsonl"

  @Flag(help: "See that everything works. The figures mean little.")
  var quick = false

  private struct Item {
    var workload: WorkloadName
    var peers: [PeerName]
    var count: Int
  }

  func run() throws {
    let file = ResultsFile(path: results)
    try file.append([Circumstances().line])
    var measurements: [Measurement] = []
    var failures = 0
    for run in 1...(quick ? 1 : runs) {
      for item in items(in: run) {
        do {
          let found = try measure(item)
          try file.append(found.map { try $0.line })
          measurements += found
        } catch {
          failures += 1
          note("\(item.workload) \(item.peers.map(\.rawValue)) \(item.count) has failed: \(error)")
        }
      }
    }
    print(Report(measurements).text)
    if failures > 0 { throw BenchmarkError("\(failures) measurements have failed.") }
  }

  private func items(in run: Int) -> [Item] {
    let workloads = workload.isEmpty ? WorkloadName.allCases : workload
    return workloads.flatMap { workload in
      let peers = workload.peers.filter { $0.isInstalled && (peer.isEmpty || peer.contains($0)) }
      let counts = count.isEmpty ? (quick ? workload.quickCounts : workload.counts) : count
      return counts.filter { run == 1 || !workload.isRunOnce(with: $0) }.flatMap { count in
        let groups = workload == .w6 ? [peers] : peers.map { [$0] }
        return groups.filter { !$0.isEmpty }.map { Item(workload: workload, peers: $0, count: count) }
      }
    }
  }

  private func measure(_ item: Item) throws -> [Measurement] {
    let arguments =
      ["measure", "--workload", item.workload.rawValue, "--count", "\(item.count)", "--peer"]
      + item.peers.map(\.rawValue) + (quick ? ["--quick"] : [])
    let output = try ChildProcess.again(arguments)
    let measurements = try output.split(separator: "\n").map { try Measurement(line: $0) }
    for measurement in measurements { note(measurement.summary) }
    return measurements
  }

  /// The standard output is for the tables.
  private func note(_ text: String) {
    try? FileHandle.standardError.write(contentsOf: Data((text + "\n").utf8))
  }
}
