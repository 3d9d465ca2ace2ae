import Dispatch

/// A dispatch timer for each timer, all on one queue.
struct DispatchSources: OneShotPeer, RepeatingPeer {
  private let queue = DispatchQueue(label: "peer")
  private let fired: FireCounter

  init(fired: FireCounter) {
    self.fired = fired
  }

  func schedule(after delay: Delay) -> DispatchTimer {
    let timer = DispatchTimer(on: queue)
    timer.schedule(after: delay)
    timer.start { [fired] in fired.note() }
    return timer
  }

  func restart(_ timer: inout DispatchTimer, after delay: Delay) {
    timer.schedule(after: delay)
  }

  func cancel(_ timer: consuming DispatchTimer) {
    timer.cancel()
  }

  func tick(in rhythm: Rhythm, telling track: TickTrack) -> @Sendable () -> Void {
    let timer = DispatchTimer(on: queue)
    timer.schedule(in: rhythm)
    timer.start { track.note(missed: timer.passedCount - 1) }
    return { timer.cancel() }
  }
}
