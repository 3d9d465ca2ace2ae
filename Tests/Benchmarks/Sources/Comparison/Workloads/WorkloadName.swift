import ArgumentParser

/// The workloads, as they are named in options and results.
enum WorkloadName: String, CaseIterable, Codable, Sendable, ExpressibleByArgument {
  case w1, w1s, w2, w3, w3s, w4, w4t, w5, w6, w7, w8, w9, w10

  /// Measures peers in this process: one, or several where they take turns.
  func run(_ peers: [PeerName], count: Int, isQuick: Bool) throws -> [Measurement] {
    let findings: [(PeerName, Findings)]
    switch self {
    case .w6:
      findings = try Alternating(duration: isQuick ? .seconds(1) : .seconds(5)).run(peers)
    default:
      guard let peer = peers.first, peers.count == 1 else {
        throw BenchmarkError("\(self) is for one peer at a time.")
      }
      findings = [(peer, try run(peer, count: count, isQuick: isQuick))]
    }
    return findings.map { Measurement(workload: self, peer: $0, count: count, $1) }
  }

  private func run(_ peer: PeerName, count: Int, isQuick: Bool) throws -> Findings {
    let limit = OperationLimit(
      operations: isQuick ? 100_000 : 2_000_000, time: isQuick ? .milliseconds(300) : .seconds(1))
    // A few timers take too little time to be measured.
    let rounds = isQuick ? 1 : min(3, max(1, 200_000 / max(1, count)))
    let second = Duration.seconds(1)
    switch self {
    case .w1, .w1s: return try peer.run(Replacing(count: count, limit: limit))
    case .w2: return try peer.run(Holding(count: count))
    case .w3: return try peer.run(Firing(count: count, spread: .milliseconds(200), rounds: rounds))
    case .w3s: return try peer.run(Firing(count: count, spread: .zero, rounds: rounds))
    case .w4: return try Repeating(count: count, duration: isQuick ? second / 2 : second * 5).run(peer)
    case .w4t:
      return try Repeating(
        count: count, tolerance: .milliseconds(1), duration: isQuick ? second / 2 : second * 5
      ).run(peer)
    case .w10:
      return try Repeating(
        count: count, interval: .milliseconds(10), duration: isQuick ? second / 2 : second * 5
      ).run(peer)
    case .w5: return try peer.run(Idling(count: count, duration: isQuick ? second / 2 : second * 10))
    case .w6: throw BenchmarkError("\(self) is for several peers.")
    case .w7: return try peer.run(Restarting(count: count, limit: limit))
    case .w8: return try peer.run(Contending(count: count, duration: isQuick ? second / 5 : second * 2))
    case .w9:
      return try Continuing(
        count: count, interval: isQuick ? second / 2 : second * 2, rounds: isQuick ? 2 : 4
      )
      .run(peer)
    }
  }
}
