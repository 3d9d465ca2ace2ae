/// One way to have timers.
protocol TimerPeer: Sendable {
  /// Creates a peer without timers. Timers that fire once report to `fired`.
  init(fired: FireCounter) throws

  /// Performs work where the peer's timers are best used: on its loop, or else right here.
  func perform(_ work: @escaping @Sendable () -> Void) throws

  /// Called now and then among many operations, for a peer that has to catch up.
  func settle()

  /// Reads the clock, for a peer that counts delays from a reading of its own.
  func noteTime()

  /// Runs the peer's loop on a thread, if it has a loop that doesn't run yet. From here on until all timers
  /// have ended, no other thread makes or cancels one.
  func run()
}

extension TimerPeer {
  func perform(_ work: @escaping @Sendable () -> Void) throws { work() }

  func settle() {}

  func noteTime() {}

  func run() {}
}

/// A peer with timers that fire once.
protocol OneShotPeer: TimerPeer {
  associatedtype Handle: Sendable

  func schedule(after delay: Delay) -> Handle

  /// Makes a pending timer fire later than before.
  func restart(_ handle: inout Handle, after delay: Delay)

  func cancel(_ handle: consuming Handle)
}

extension OneShotPeer {
  func restart(_ handle: inout Handle, after delay: Delay) {
    cancel(handle)
    handle = schedule(after: delay)
  }
}

/// A peer with timers that repeat.
protocol RepeatingPeer: TimerPeer {
  /// Starts a timer that reports its ticks to `track`. Returns a closure that stops it, unless it stops by
  /// itself when the track is over.
  func tick(in rhythm: Rhythm, telling track: TickTrack) -> @Sendable () -> Void
}
