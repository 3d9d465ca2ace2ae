import ArgumentParser

/// The workloads, as they are named in options and results.
enum WorkloadName: String, CaseIterable, Codable, Sendable, ExpressibleByArgument {
  case w1, w1s, w2, w3, w3s, w7

  func run(_ peer: PeerName, count: Int) throws -> Values {
    let limit = OperationLimit(operations: 2_000_000, time: .seconds(3))
    return switch self {
    case .w1, .w1s: try peer.run(Replacing(count: count, limit: limit))
    case .w2: try peer.run(Holding(count: count))
    case .w3: try peer.run(Firing(count: count, spread: .milliseconds(200), rounds: rounds(of: count)))
    case .w3s: try peer.run(Firing(count: count, spread: .zero, rounds: rounds(of: count)))
    case .w7: try peer.run(Restarting(count: count, limit: limit))
    }
  }

  private func rounds(of count: Int) -> Int { min(5, max(1, 200_000 / count)) }
}
