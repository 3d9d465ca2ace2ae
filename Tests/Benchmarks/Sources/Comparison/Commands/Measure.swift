import ArgumentParser

/// One measurement in this process.
struct Measure: ParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Measures one thing, and prints JSON.")

  @Option(help: "What to do.")
  var workload: WorkloadName

  @Option(help: "With which timers.")
  var peer: PeerName

  @Option(help: "With how many of them.")
  var count: Int

  func run() throws {
    let values = try workload.run(peer, count: count)
    print(try Measurement(workload: workload, peer: peer, count: count, values: values).line)
  }
}
