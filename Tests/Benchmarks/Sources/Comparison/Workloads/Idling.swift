/// W5: `count` timers wait for an hour, of which ten seconds pass. A count of zero is for comparison.
struct Idling: OneShotWorkload {
  var count: Int
  var duration: Duration

  func run<Peer: OneShotPeer>(_ type: Peer.Type) throws -> Findings {
    let timers = try PendingTimers<Peer>(capacity: max(count, 1))
    try timers.schedule(count, in: .seconds(3600) ... .seconds(3660))
    _ = ProcessUsage.whenQuiet()
    let before = ProcessUsage.now
    (before.time + Delay(duration)).wait()
    let after = ProcessUsage.now
    return Findings([
      .switches: Double(after.voluntarySwitches - before.voluntarySwitches),
      .load: (after.cpu - before.cpu) / duration * 100,
    ])
  }
}
