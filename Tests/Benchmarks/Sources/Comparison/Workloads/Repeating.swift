/// W4: `count` timers repeat every 100 ms, each with a phase of its own. Those with a tolerance are W4t.
struct Repeating {
  private static let interval: Duration = .milliseconds(100)

  var count: Int
  var tolerance: Duration = .zero
  var duration: Duration

  func run(_ name: PeerName) throws -> Findings {
    let peer = try name.makeRepeatingPeer()
    warmUp(peer)
    let timers = try StartedTimers(
      count, of: peer, every: Self.interval, within: Self.interval, tolerance: tolerance,
      capacity: Int(duration / Self.interval))
    timers.start.wait()
    let before = ProcessUsage.now.cpu
    (timers.start + Delay(duration)).wait()
    let spent = ProcessUsage.now.cpu - before
    timers.stop()
    _ = ProcessUsage.whenQuiet()

    var summary = LatenessSummary()
    for track in timers.tracks { summary.add(track) }
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
