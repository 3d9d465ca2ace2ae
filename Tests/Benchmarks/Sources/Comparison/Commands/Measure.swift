import ArgumentParser
import Glibc

/// One measurement in this process.
struct Measure: ParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Measures one thing, and prints JSON.")

  @Option(help: "What to do.")
  var workload: WorkloadName

  @Option(parsing: .upToNextOption, help: "With which timers; several for w6.")
  var peer: [PeerName]

  @Option(help: "With how many of them; for w8, of threads.")
  var count: Int

  @Flag(help: "See that it works, no more.")
  var quick = false

  func run() throws {
    // A peer that hangs doesn't hold up the others.
    alarm(240)
    for measurement in try workload.run(peer, count: count, isQuick: quick) {
      print(try measurement.line)
    }
  }
}
