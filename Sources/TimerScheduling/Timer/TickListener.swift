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

  init(to record: TimerRecord) {
    self.record = record
    id = record.join()
  }

  deinit {
    record.leave(id)
  }

  func next() async -> TimerRecord.TakenTick? {
    await record.next(id)
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
