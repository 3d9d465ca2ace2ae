/// W1: scheduling a timer and cancelling another while `count` are pending.
struct Replacing: OneShotWorkload {
  private static let delays: ClosedRange<Duration> = .seconds(1) ... .seconds(3600)

  var count: Int
  var limit: OperationLimit

  func run<Peer: OneShotPeer>(_ type: Peer.Type) throws -> Findings {
    let timers = try PendingTimers<Peer>(capacity: count)
    let start = ProcessUsage.whenQuiet().cpu
    try timers.schedule(count, in: Self.delays)
    let scheduled = ProcessUsage.whenQuiet().cpu
    let operations = try timers.replace(in: Self.delays, upTo: limit)
    let replaced = ProcessUsage.whenQuiet().cpu
    let cancellations = try timers.cancelAll(within: limit.time)
    let cancelled = ProcessUsage.whenQuiet().cpu
    return Findings([
      .schedule: (scheduled - start).microseconds / Double(count),
      .replace: (replaced - scheduled).microseconds / Double(operations),
      .cancel: (cancelled - replaced).microseconds / Double(cancellations),
      .operations: Double(operations),
    ])
  }
}
