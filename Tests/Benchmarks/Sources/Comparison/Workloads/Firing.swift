import Foundation

/// W3 and W3s: firing `count` timers that are due within a time. Scheduling them isn't counted.
struct Firing: OneShotWorkload {
  var count: Int
  var spread: Duration
  /// The number of repetitions. A single round of few timers takes too little time to be measured.
  var rounds: Int

  func run<Peer: OneShotPeer>(_ type: Peer.Type) throws -> Findings {
    var cpu = Duration.zero
    // The first round is for warming up.
    for round in 0...rounds {
      let spent = try fire(type)
      if round > 0 || rounds == 1 { cpu += spent }
      if rounds == 1 { break }
    }
    return Findings([.fire: cpu.microseconds / Double(count * rounds), .ticks: Double(count * rounds)])
  }

  private func fire<Peer: OneShotPeer>(_ type: Peer.Type) throws -> Duration {
    var lead = try .milliseconds(300) + schedulingTime(type) * count * 2.5
    while lead < .seconds(60) {
      if let spent = try fire(type, in: lead) { return spent }
      lead *= 2
    }
    throw BenchmarkError("\(count) timers can't be scheduled within a minute.")
  }

  /// The time that it takes to schedule one timer, estimated from some that are then cancelled.
  private func schedulingTime<Peer: OneShotPeer>(_ type: Peer.Type) throws -> Duration {
    let sampleCount = min(count, 10_000)
    let timers = try PendingTimers<Peer>(capacity: sampleCount)
    let start = Uptime.now
    try timers.schedule(sampleCount, in: .seconds(3600) ... .seconds(3660))
    let time = (Uptime.now - start).duration
    _ = try timers.cancelAll(within: .seconds(1))
    return time / sampleCount
  }

  /// Returns nil if it took longer to schedule the timers than until the first of them was due.
  private func fire<Peer: OneShotPeer>(_ type: Peer.Type, in lead: Duration) throws -> Duration? {
    let timers = try PendingTimers<Peer>(capacity: count)
    let start = Uptime.now + Delay(lead)
    let end = start + Delay(spread)
    try timers.schedule(count, from: start, spread: spread)
    let before = ProcessUsage.whenQuiet().cpu
    guard .now + Delay(.milliseconds(5)) < start else { return nil }
    timers.peer.run()
    end.wait()
    try waitUntilFired(timers)
    let spent = ProcessUsage.whenQuiet().cpu - before
    try verify(timers)
    return spent
  }

  /// Streams that no task iterates don't report it, but their ticks are taken afterwards.
  private func waitUntilFired<Peer: OneShotPeer>(_ timers: PendingTimers<Peer>) throws {
    if Peer.Handle.self == AsyncStream<Date>.self { return }
    let end = Uptime.now + Delay(.seconds(60))
    while timers.fired.count < count {
      guard .now < end else { throw BenchmarkError("\(timers.fired.count) of \(count) timers have fired.") }
      (Uptime.now + Delay(.milliseconds(2))).wait()
    }
  }

  private func verify<Peer: OneShotPeer>(_ timers: PendingTimers<Peer>) throws {
    let handles = timers.takeHandles()
    guard let streams = handles as? [AsyncStream<Date>] else {
      guard timers.fired.count == count else { throw BenchmarkError("Some timers have fired twice.") }
      return
    }
    let ticks = try blocking {
      let latest = Date()
      var ticks = 0
      for stream in streams {
        for await date in stream where date <= latest { ticks += 1 }
      }
      return ticks
    }
    guard ticks == count else { throw BenchmarkError("\(ticks) of \(count) streams had fired.") }
  }
}
