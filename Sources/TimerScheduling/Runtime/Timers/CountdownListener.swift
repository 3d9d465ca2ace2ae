/// The values of a countdown that lie on a step, each delivered once.
final class CountdownValues: Sendable {
  /// Guards the number of the last value delivered, which is negative before the first.
  private let last = Lock<Int64>(-1)

  var haveBegun: Bool { last.withLock { $0 >= 0 } }

  /// Returns the newest value, or nil if it was delivered before.
  func next(of entry: TimerEntry) -> Duration? {
    guard let (scale, elapsed) = entry.countdown else { return nil }
    let step = scale.step(after: elapsed)
    return last.withLock { last in
      guard step > last else { return nil }
      last = step
      return scale.value(ofStep: step)
    }
  }
}

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
        if let value = values.next(of: listener.entry) { return value }
      case .finished: return nil
      }
    }
    while await listener.next() != nil {
      // A tick for a value that was already delivered as the present one is skipped.
      if let value = values.next(of: listener.entry) { return value }
    }
    return nil
  }
}
