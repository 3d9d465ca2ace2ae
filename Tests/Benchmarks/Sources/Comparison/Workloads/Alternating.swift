/// W6: one timer of 10 ms. All peers take turns in one process, so that other load affects all of them
/// equally.
struct Alternating {
  private static let interval: Duration = .milliseconds(10)
  private static let ticksPerTurn = 50

  /// The total time for which each peer ticks.
  var duration: Duration

  func run(_ names: [PeerName]) throws -> [(PeerName, Findings)] {
    let peers = try names.map { ($0, try $0.makeRepeatingPeer()) }
    var summaries: [PeerName: LatenessSummary] = [:]
    let turn = Self.interval * Self.ticksPerTurn
    for round in 0...Int(duration / turn) {
      for (name, peer) in peers {
        let rhythm = Rhythm(start: .now + Delay(Self.interval * 2), interval: Delay(Self.interval))
        let track = TickTrack(rhythm, capacity: Self.ticksPerTurn)
        let stop = peer.tick(in: rhythm, telling: track)
        peer.run()
        (rhythm.start + Delay(turn)).wait()
        stop()
        track.end()
        // A loop that checks its track stops at its next tick.
        (Uptime.now + Delay(Self.interval * 3)).wait()
        // The first round is for warming up.
        if round > 0 { summaries[name, default: LatenessSummary()].add(track) }
      }
    }
    return try peers.map { name, _ in
      guard let summary = summaries[name], summary.ticks > 0 else {
        throw BenchmarkError("\(name) hasn't ticked.")
      }
      return (name, summary.findings)
    }
  }
}
