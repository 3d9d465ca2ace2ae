import Foundation
import TestSupport
import Testing

/// Random workloads on the scheduler, under virtual time, compared with the promises.
///
///     TIMER_SEED=123 swift test --filter SimulationTests
///     TIMER_SCENARIOS=100000 swift test --filter SimulationTests
@Suite(.guarantee("G17", "G21", "G22", "G26", "G31", "G33", "G34", "G39", "G62", "G64", "G72", "G91"))
struct SimulationTests {
  /// Scenarios with seeds one after another.
  struct Batch: Sendable, CustomTestStringConvertible {
    var first: UInt64
    var count: UInt64

    var testDescription: String { "\(count) from TIMER_SEED=\(first)" }

    /// The requested scenario, the requested number of random ones or, by default, always the same ones.
    static var all: [Batch] {
      let environment = ProcessInfo.processInfo.environment
      if let seed = SeededGenerator.requested {
        return [Batch(first: seed, count: 1)]
      }
      guard let count = environment["TIMER_SCENARIOS"].flatMap({ UInt64($0) }) else {
        return batches(of: 100, from: 0, count: size(1_000, full: 3_000))
      }
      let random = UInt64.random(in: 0...UInt64(UInt32.max)) * 1_000_000
      return batches(of: 1000, from: random, count: count)
    }

    private static func batches(of size: UInt64, from first: UInt64, count: UInt64) -> [Batch] {
      stride(from: 0, to: count, by: Int(size)).map {
        Batch(first: first + $0, count: min(size, count - $0))
      }
    }
  }

  @Test(arguments: Batch.all)
  func `Every tick and every end is as promised`(batch: Batch) async {
    print("Scenarios: \(batch.testDescription)")
    for seed in batch.first..<batch.first + batch.count {
      guard let divergence = await Simulation.divergence(in: Scenario(seed: seed)) else { continue }
      Issue.record("\(await Simulation.shortened(divergence))")
      return
    }
  }
}
