final class CountdownListener: Sendable {
  private let listener: TickListener
  /// Guards the number of the last value delivered, which is nil before the first.
  private let last = Lock<Int64?>(nil)

  init(_ entry: TimerEntry) {
    listener = TickListener(to: entry)
  }

  func cancel() {
    listener.cancel()
  }

  /// Waits for the next value. The first is there at once.
  func next() async -> Duration? {
    if last.withLock({ $0 == nil }) {
      switch listener.entry.state {
      case .scheduled, .paused, .finished(.completed):
        if let (scale, elapsed) = listener.entry.countdown,
          let value = take(scale.step(after: elapsed), of: scale)
        {
          return value
        }
      case .finished:
        return nil
      }
    }
    while let taken = await listener.next() {
      // A tick for a value that was already delivered as the present one is skipped.
      if let scale = listener.entry.countdown?.scale, let value = take(taken.newestOrdinal, of: scale) {
        return value
      }
    }
    return nil
  }

  private func take(_ number: Int64, of scale: CountdownScale) -> Duration? {
    last.withLock { last in
      guard number > last ?? -1 else { return nil }
      last = number
      return scale.value(ofStep: number)
    }
  }
}
