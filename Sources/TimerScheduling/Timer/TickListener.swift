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
  let record: TimerRecord
  private let id: TimerRecord.ListenerID
  /// Whether the consumer has taken a tick, and may not have suspended since.
  private let hasTaken = Atomic<Bool>(false)

  init(to record: TimerRecord) {
    self.record = record
    id = record.join()
  }

  deinit {
    record.leave(id)
  }

  /// Waits for the next tick. Returns nil once there are no more.
  ///
  /// A loop that finds a tick each time it asks would never suspend. So other tasks have their turn before such a
  /// tick is taken; after that nothing suspends.
  func next() async -> TimerRecord.TakenTick? {
    if hasTaken.exchange(false, ordering: .relaxed), record.hasTick(for: id) { await Task.yield() }
    guard let taken = await record.next(id) else { return nil }
    hasTaken.store(true, ordering: .relaxed)
    return taken
  }

  /// The consumer has got something else than a tick.
  func noteTaken() {
    record.noteTaken(by: id)
  }

  /// The consuming task was cancelled.
  func cancel() {
    record.leave(id)
  }

  /// Returns the stream whose consumer this is.
  static func stream(of record: TimerRecord) -> AsyncStream<Date> {
    let listener = TickListener(to: record)
    return AsyncStream {
      await listener.next()?.tick.date
    } onCancel: {
      listener.cancel()
    }
  }
}
