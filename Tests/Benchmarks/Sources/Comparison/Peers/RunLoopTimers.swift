import Foundation

/// Foundation's `Timer` for each timer, all on the run loop of one thread.
///
/// Confined to the caller until ``run()``, and to the loop's thread from there until no timer is left.
final class RunLoopTimers: RepeatingPeer, @unchecked Sendable {
  private var timers: [Timer] = []

  init(fired: FireCounter) {}

  func tick(in rhythm: Rhythm, telling track: TickTrack) -> @Sendable () -> Void {
    let timer = Timer(
      fire: Date(timeIntervalSinceNow: rhythm.delay.seconds), interval: rhythm.interval.seconds, repeats: true
    ) { timer in
      guard track.isOver else { return track.note() }
      timer.invalidate()
    }
    timer.tolerance = rhythm.tolerance / .seconds(1)
    timers.append(timer)
    return { track.end() }
  }

  func run() {
    Thread.detachNewThread {
      for timer in self.timers { RunLoop.current.add(timer, forMode: .default) }
      self.timers = []
      RunLoop.current.run()
    }
  }
}

extension Delay {
  fileprivate var seconds: TimeInterval { TimeInterval(nanoseconds) / 1e9 }
}
