/// One way to have timers.
protocol TimerPeer: Sendable {
  /// Creates one without timers. Those that fire once tell `fired`.
  init(fired: FireCounter) throws

  /// Does something where the peer's timers are best used: on its loop, or else right here.
  func perform(_ work: @escaping @Sendable () -> Void) throws

  /// Is called now and then among many operations, for a peer that has to catch up.
  func settle()

  /// Reads the clock, for a peer that counts delays from a reading of its own.
  func noteTime()

  /// Has the peer's loop run on a thread, if it is one that doesn't yet. No timer is made or cancelled by
  /// others from here on, until all have ended.
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

  /// Has a pending timer fire later than it was to.
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
  /// Starts a timer that tells `track` of its ticks. Returns what stops it, unless it stops by itself when the
  /// track is over.
  func tick(in rhythm: Rhythm, telling track: TickTrack) -> @Sendable () -> Void
}
