/// One way to have timers.
protocol TimerPeer: Sendable {
  /// Has the peer's loop run on a thread, if it is one that has yet to be run. Nothing else uses the peer from
  /// here on.
  func run()

  /// Does something where the peer's timers are best used: on its loop, or else right here.
  func perform(_ work: @escaping @Sendable () -> Void) throws

  /// Reads the clock, for a peer that counts delays from a reading of its own.
  func noteTime()
}

extension TimerPeer {
  func run() {}

  func perform(_ work: @escaping @Sendable () -> Void) throws { work() }

  func noteTime() {}
}

/// Timers that fire once.
protocol OneShotPeer: TimerPeer {
  associatedtype Handle: Sendable

  /// Creates one without timers, whose timers tell `fired`.
  init(fired: FireCounter) throws

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
