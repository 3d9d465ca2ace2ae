/// A consumer's hold on a timer that lives as long as it is listened to.
///
/// A stream's closures hold the listener and nothing else does, so it is released with the last of the
/// stream and its iterators, and ends the timer.
final class TickListener: Sendable {
  private let record: TimerRecord

  init(to record: TimerRecord) {
    self.record = record
  }

  deinit {
    record.finish(.cancelled)
  }

  func next() async -> TimerTick? {
    await record.next()
  }

  /// The consuming task was cancelled.
  func cancel() {
    record.finish(.cancelled)
  }
}
