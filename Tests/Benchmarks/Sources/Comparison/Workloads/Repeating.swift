/// W4: `count` timers repeat every 100 ms, each with a phase of its own. Those with a tolerance are W4t.
struct Repeating {
  private static let interval: Duration = .milliseconds(100)

  var count: Int
  var tolerance: Duration = .zero
  var duration: Duration

  func run(_ name: PeerName) throws -> Findings {
    let peer = try name.makeRepeatingPeer()
    warmUp(peer)
    var generator = SeededGenerator()
    // All are there before the first is due.
    let start = Uptime.now + Delay(.milliseconds(300) + .microseconds(20) * count)
    let tickCount = Int(duration / Self.interval)
    var tracks: [TickTrack] = []
    var stops: [@Sendable () -> Void] = []
    for _ in 0..<count {
      let phase = generator.delay(in: .zero...Self.interval)
      let rhythm = Rhythm(start: start + phase, interval: Delay(Self.interval), tolerance: tolerance)
      let track = TickTrack(rhythm, capacity: tickCount)
      tracks.append(track)
      stops.append(peer.tick(in: rhythm, telling: track))
    }
    peer.run()
    guard .now < start else { throw BenchmarkError("It took too long to start \(count) timers.") }
    start.wait()
    let before = ProcessUsage.now.cpu
    (start + Delay(duration)).wait()
    let spent = ProcessUsage.now.cpu - before
    for stop in stops { stop() }
    for track in tracks { track.end() }
    _ = ProcessUsage.whenQuiet()

    var summary = LatenessSummary()
    for track in tracks { summary.add(track) }
    guard summary.ticks > 0 else { throw BenchmarkError("\(name) hasn't ticked.") }
    var findings = summary.findings
    findings.values[.load] = spent / duration * 100
    return findings
  }

  /// Lets one timer tick a few times, because the first tick of a process is late by milliseconds.
  private func warmUp(_ peer: any RepeatingPeer) {
    let rhythm = Rhythm(start: .now + Delay(.milliseconds(20)), interval: Delay(.milliseconds(10)))
    let track = TickTrack(rhythm, capacity: 10)
    let stop = peer.tick(in: rhythm, telling: track)
    peer.run()
    (rhythm.start + Delay(.milliseconds(100))).wait()
    stop()
    track.end()
    _ = ProcessUsage.whenQuiet()
  }
}
