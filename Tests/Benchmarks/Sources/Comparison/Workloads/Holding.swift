/// W2: the memory of pending timers, and the part of it that is kept after they have been cancelled.
struct Holding: OneShotWorkload {
  private static let delays: ClosedRange<Duration> = .seconds(60) ... .seconds(3600)

  var count: Int

  func run<Peer: OneShotPeer>(_ type: Peer.Type) throws -> Findings {
    let timers = try PendingTimers<Peer>(capacity: count)
    func bytesWhenQuiet() throws -> Double {
      _ = ProcessUsage.whenQuiet()
      return Double(try ResidentMemory.bytes)
    }
    let before = try bytesWhenQuiet()
    try timers.schedule(count, in: Self.delays)
    let pending = try bytesWhenQuiet()
    try timers.cancelAllByDeadline(in: Self.delays)
    let held = try bytesWhenQuiet()
    ResidentMemory.trim()
    let trimmed = try bytesWhenQuiet()
    return Findings([
      .pending: (pending - before) / Double(count),
      .held: (held - before) / Double(count),
      .heldAfterTrimming: (trimmed - before) / Double(count),
    ])
  }
}
