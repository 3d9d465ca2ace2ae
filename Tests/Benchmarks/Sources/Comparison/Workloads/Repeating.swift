/// W4: `count` timers repeat every 100 ms, each with a phase of its own. Those with a tolerance are W4t. One
/// of 10 ms is W10.
struct Repeating {
  var count: Int
  var interval: Duration = .milliseconds(100)
  var tolerance: Duration = .zero
  var duration: Duration

  func run(_ name: PeerName) throws -> Findings {
    let peer = try name.makeRepeatingPeer()
    warmUp(peer)
    let timers = try StartedTimers(
      count, of: peer, every: interval, within: interval, tolerance: tolerance,
      capacity: Int(duration / interval))
    timers.start.wait()
    let before = ProcessUsage.now
    (timers.start + Delay(duration)).wait()
    let after = ProcessUsage.now
    timers.stop()
    _ = ProcessUsage.whenQuiet()

    var summary = LatenessSummary()
    for track in timers.tracks { summary.add(track) }
    guard summary.ticks > 0 else { throw BenchmarkError("\(name) hasn't ticked.") }
    var findings = summary.findings
    findings.values[.load] = (after.cpu - before.cpu) / duration * 100
    findings.values[.fire] = (after.cpu - before.cpu).microseconds / Double(summary.ticks)
    findings.values[.switches] =
      Double(after.voluntarySwitches - before.voluntarySwitches) / Double(summary.ticks)
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
