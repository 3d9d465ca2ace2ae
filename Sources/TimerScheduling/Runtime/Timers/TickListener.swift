import TimerSchedulingFoundation

/// A consumer's hold on a timer, which ends with the last reference to it, such as a stream's closures.
class TickListener: @unchecked Sendable {
  final let entry: TimerEntry

  init(_ entry: TimerEntry) { self.entry = entry }

  /// Nil for the timer's own stream.
  fileprivate var listener: Listener? { nil }

  final func cancel() { entry.leave(listener) }

  /// Waits for the next tick. Returns nil once there are no more.
  ///
  /// A loop that finds a tick each time it asks would never suspend. So other tasks get their turn before it
  /// takes such a tick. After the tick is taken, nothing suspends.
  final func next() async -> TimerTick? { await entry.next(listener) }

  /// Waits for the next tick. Also returns nil if the calling task is cancelled.
  @inline(__always)
  final func nextUnlessCancelled(isolation: isolated (any Actor)? = #isolation) async -> TimerTick? {
    await withTaskCancellationHandler {
      // A closure has the isolation of its context only if it captures the actor.
      _ = isolation
      return await next()
    } onCancel: {
      cancel()
    }
  }

  /// A stream of this listener's ticks. It takes them outside the isolation of the task that iterates it.
  final var stream: AsyncStream<Date> {
    AsyncStream {
      await self.next()?.date
    } onCancel: {
      self.cancel()
    }
  }
}

/// The hold of a timer's own stream, which ends the timer.
final class OwnListener: TickListener, @unchecked Sendable {
  deinit { cancel() }
}

/// The hold of a consumer that joins a timer.
final class JoinedListener: TickListener, @unchecked Sendable {
  /// The timer knows this object, not the one that leaves when it is released: a thread that walks the
  /// listeners under the timer's lock may hold the last reference.
  private let joined = Listener()

  override init(_ entry: TimerEntry) {
    super.init(entry)
    entry.join(joined)
  }

  deinit { cancel() }

  override fileprivate var listener: Listener? { joined }
}

/// A consumer of a countdown's values.
final class CountdownListener: Sendable {
  private let listener: TickListener
  private let values = CountdownValues()

  init(_ entry: TimerEntry) { listener = JoinedListener(entry) }

  func cancel() { listener.cancel() }

  /// Waits for the next value. The first is there at once, unless the countdown was ended early.
  func next() async -> Duration? {
    if !values.haveBegun {
      switch listener.entry.state {
      case .scheduled, .paused, .finished(.completed):
        if let value = nextValue() { return value }
      case .finished: return nil
      }
    }
    while await listener.next() != nil {
      // A tick for a value that was already delivered as the present one is skipped.
      if let value = nextValue() { return value }
    }
    return nil
  }

  /// Not inlined, because a task that waits for a value would keep the variables.
  @inline(never)
  private func nextValue() -> Duration? { values.next(at: listener.entry.countdown) }
}
