/// W9: `count` timers that go on tick every 2 s, all within 200 ms. Each round but the first is measured.
struct Continuing {
  private static let spread: Duration = .milliseconds(200)

  var count: Int
  var interval: Duration
  var rounds: Int

  func run(_ name: PeerName) throws -> Findings {
    let peer = try name.makeRepeatingPeer()
    var generator = SeededGenerator()
    // All are there before the first is due.
    let start = Uptime.now + Delay(.milliseconds(300) + .microseconds(20) * count)
    var tracks: [TickTrack] = []
    var stops: [@Sendable () -> Void] = []
    for _ in 0..<count {
      let phase = generator.delay(in: .zero...Self.spread)
      let track = TickTrack(Rhythm(start: start + phase, interval: Delay(interval)), capacity: 0)
      tracks.append(track)
      stops.append(peer.tick(in: Rhythm(start: start + phase, interval: Delay(interval)), telling: track))
    }
    peer.run()
    guard .now < start else { throw BenchmarkError("It took too long to start \(count) timers.") }

    // Halfway between the ticks of two rounds.
    let first = start + Delay((interval + Self.spread) / 2)
    first.wait()
    let before = (cpu: ProcessUsage.now.cpu, ticks: tickCount(of: tracks))
    (first + Delay(interval * rounds)).wait()
    let spent = ProcessUsage.now.cpu - before.cpu
    let ticks = tickCount(of: tracks) - before.ticks
    for stop in stops { stop() }
    for track in tracks { track.end() }
    guard ticks > 0 else { throw BenchmarkError("\(name) hasn't ticked.") }
    return Findings([
      .fire: spent.microseconds / Double(ticks), .ticks: Double(ticks),
      .missed: Double(count * rounds - ticks),
    ])
  }

  private func tickCount(of tracks: [TickTrack]) -> Int { tracks.reduce(0) { $0 + $1.tickCount } }
}
