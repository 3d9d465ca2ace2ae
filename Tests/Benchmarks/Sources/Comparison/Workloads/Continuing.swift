/// W9: `count` timers that go on tick every 2 s, all within 200 ms. Each round but the first is measured.
struct Continuing {
  private static let spread: Duration = .milliseconds(200)

  var count: Int
  var interval: Duration
  var rounds: Int

  func run(_ name: PeerName) throws -> Findings {
    let timers = try StartedTimers(
      count, of: name.makeRepeatingPeer(), every: interval, within: Self.spread, capacity: 0)
    // Halfway between the ticks of two rounds.
    let first = timers.start + Delay((interval + Self.spread) / 2)
    first.wait()
    let before = (cpu: ProcessUsage.now.cpu, ticks: tickCount(of: timers))
    (first + Delay(interval * rounds)).wait()
    let spent = ProcessUsage.now.cpu - before.cpu
    let ticks = tickCount(of: timers) - before.ticks
    timers.stop()
    guard ticks > 0 else { throw BenchmarkError("\(name) hasn't ticked.") }
    return Findings([
      .fire: spent.microseconds / Double(ticks), .ticks: Double(ticks),
      .missed: Double(count * rounds - ticks),
    ])
  }

  private func tickCount(of timers: StartedTimers) -> Int { timers.tracks.reduce(0) { $0 + $1.tickCount } }
}
