final class CountdownListener: Sendable {
  private let listener: TickListener
  private let values = CountdownValues()

  init(_ entry: TimerEntry) { listener = TickListener(to: entry) }

  func cancel() { listener.cancel() }

  /// Waits for the next value. The first is there at once, unless the countdown was ended early.
  func next() async -> Duration? {
    if !values.haveBegun {
      switch listener.entry.state {
      case .scheduled, .paused, .finished(.completed):
        if let value = values.next(at: listener.entry.countdown) { return value }
      case .finished: return nil
      }
    }
    while await listener.next() != nil {
      // A tick for a value that was already delivered as the present one is skipped.
      if let value = values.next(at: listener.entry.countdown) { return value }
    }
    return nil
  }
}
