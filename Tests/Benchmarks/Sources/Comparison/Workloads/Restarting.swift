/// W7: restarting an idle timeout, one of `count`.
struct Restarting: OneShotWorkload {
  private static let timeout: Duration = .seconds(60)

  var count: Int
  var limit: OperationLimit

  func run<Peer: OneShotPeer>(_ type: Peer.Type) throws -> Findings {
    let timers = try PendingTimers<Peer>(capacity: count)
    // As if each had been restarted at some time, but none runs out meanwhile.
    try timers.schedule(count, in: Self.timeout / 2...Self.timeout)
    let start = ProcessUsage.whenQuiet().cpu
    let operations = try timers.restart(after: Self.timeout, upTo: limit)
    let restarted = ProcessUsage.whenQuiet().cpu
    return Findings([
      .restart: (restarted - start).microseconds / Double(operations),
      .operations: Double(operations),
    ])
  }
}
