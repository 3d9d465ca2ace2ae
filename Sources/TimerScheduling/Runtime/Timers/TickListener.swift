import Synchronization
import TimerSchedulingFoundation

/// A consumer's hold on a timer: one listener, for the lifetime of this object.
///
/// The closures of a stream or a ``TimerFirings`` hold this object. Its release is the end of the
/// listener, for a stream with the last reference to the stream and its iterators.
final class TickListener: Sendable {
  let entry: TimerEntry
  private let id: Listeners.ID
  /// Whether the consumer has taken a tick and may not have suspended since then.
  private let hasTaken = Atomic<Bool>(false)

  init(to entry: TimerEntry) {
    self.entry = entry
    id = entry.join()
  }

  deinit {
    entry.leave(id)
  }

  /// Waits for the next tick. Returns nil once there are no more.
  ///
  /// A loop that finds a tick each time it asks would never suspend. So other tasks get their turn before such a tick
  /// is taken. After the tick is taken, nothing suspends.
  func next() async -> TimerEntry.TakenTick? {
    guard let taken = await entry.next(id, hasTaken: hasTaken.exchange(false, ordering: .relaxed)) else {
      return nil
    }
    hasTaken.store(true, ordering: .relaxed)
    return taken
  }

  /// Waits for the next tick, as ``next()`` does. Also returns nil if the calling task is cancelled.
  @inline(__always)
  func nextUnlessCancelled(isolation: isolated (any Actor)? = #isolation) async -> TimerEntry.TakenTick? {
    await withTaskCancellationHandler {
      // A closure has the isolation of its context only if it captures the actor.
      _ = isolation
      return await next()
    } onCancel: {
      cancel()
    }
  }

  /// Removes the listener, because the consuming task was cancelled.
  func cancel() {
    entry.leave(id)
  }

  /// Returns a stream of a new listener's ticks. It takes them outside the isolation of the task that iterates it.
  static func stream(of entry: TimerEntry) -> AsyncStream<Date> {
    let listener = TickListener(to: entry)
    return AsyncStream {
      await listener.next()?.tick.date
    } onCancel: {
      listener.cancel()
    }
  }
}
