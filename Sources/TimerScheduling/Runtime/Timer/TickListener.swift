import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A consumer's hold on a timer: one listener, for as long as this lives.
///
/// A stream's closures hold the listener and nothing else does, so it is released with the last of the
/// stream and its iterators.
final class TickListener: Sendable {
  let entry: TimerEntry
  private let id: TimerEntry.ListenerID
  /// Whether the consumer has taken a tick, and may not have suspended since.
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
  /// A loop that finds a tick each time it asks would never suspend. So other tasks have their turn before such a
  /// tick is taken; after that nothing suspends.
  func next() async -> TimerEntry.TakenTick? {
    guard let taken = await entry.next(id, hasTaken: hasTaken.exchange(false, ordering: .relaxed)) else {
      return nil
    }
    hasTaken.store(true, ordering: .relaxed)
    return taken
  }

  /// Waits for the next tick, as ``next()`` does. Returns nil, too, if the calling task is cancelled.
  @inline(__always)
  func nextUnlessCancelled(isolation: isolated (any Actor)? = #isolation) async -> TimerEntry.TakenTick? {
    await withTaskCancellationHandler {
      // A closure is isolated as its context is only if it captures the actor.
      _ = isolation
      return await next()
    } onCancel: {
      cancel()
    }
  }

  /// The consumer has got something else than a tick.
  func tickTaken() {
    entry.tickTaken(by: id)
  }

  /// The consuming task was cancelled.
  func cancel() {
    entry.leave(id)
  }

  /// Returns the stream whose consumer this is.
  static func stream(of entry: TimerEntry) -> AsyncStream<Date> {
    let listener = TickListener(to: entry)
    return AsyncStream {
      await listener.next()?.tick.date
    } onCancel: {
      listener.cancel()
    }
  }
}
