/// Repeating timers of a peer, each with a random phase within a time, all made before the first is due.
struct StartedTimers {
  /// The earliest time at which a timer may be due first.
  let start: Uptime
  let tracks: [TickTrack]
  private let stops: [@Sendable () -> Void]
  /// Held, as a peer may end its timers when it is released.
  private let peer: any RepeatingPeer

  /// Starts `count` timers. Each notes the lateness of at most `capacity` ticks.
  init(
    _ count: Int, of peer: any RepeatingPeer, every interval: Duration, within spread: Duration,
    tolerance: Duration = .zero, capacity: Int
  ) throws {
    var generator = SeededGenerator()
    start = Uptime.now + Delay(.milliseconds(300) + .microseconds(20) * count)
    var tracks: [TickTrack] = []
    var stops: [@Sendable () -> Void] = []
    for _ in 0..<count {
      let phase = generator.delay(in: .zero...spread)
      let rhythm = Rhythm(start: start + phase, interval: Delay(interval), tolerance: tolerance)
      let track = TickTrack(rhythm, capacity: capacity)
      tracks.append(track)
      stops.append(peer.tick(in: rhythm, telling: track))
    }
    (self.tracks, self.stops, self.peer) = (tracks, stops, peer)
    peer.run()
    guard .now < start else { throw BenchmarkError("It took too long to start \(count) timers.") }
  }

  func stop() {
    for stop in stops { stop() }
    for track in tracks { track.end() }
  }
}
