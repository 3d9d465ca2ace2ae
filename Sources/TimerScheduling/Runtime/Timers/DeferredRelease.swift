/// User values held by timers that have finished on the driver's queue, to be released off it.
///
/// Releasing a value can run a `deinit`, and cancelling a task can run its handlers; neither may happen on the queue.
/// A later block of the queue takes the values, when no pass holds one of them any more, and has them released
/// elsewhere.
struct DeferredRelease: Sendable {
  private struct Part: Sendable {
    var values: TimerEffects.HeldValues
    let timer: TimerEntry
  }

  private var parts: [Part] = []
  /// Timers that hold an error.
  private var timers: [TimerEntry] = []

  var isEmpty: Bool { parts.isEmpty && timers.isEmpty }

  mutating func add(_ values: TimerEffects.HeldValues, of timer: TimerEntry) {
    parts.append(Part(values: values, timer: timer))
  }

  mutating func add(_ timer: TimerEntry) { timers.append(timer) }

  /// Removes and returns everything collected so far.
  mutating func takeAll() -> Batch {
    defer { self = DeferredRelease() }
    return Batch(self)
  }

  /// A container of collected values. ``releaseValues()`` empties it, on whichever thread the batch itself is released.
  final class Batch: Sendable {
    /// Guards the contents until they are taken out.
    private let contents: Lock<DeferredRelease?>

    fileprivate init(_ contents: DeferredRelease) { self.contents = Lock(contents) }

    /// Cancels tasks, releases all values, and notifies the timers.
    func releaseValues() {
      guard var contents = contents.withLock({ $0.take() }) else { return }
      for index in contents.parts.indices {
        contents.parts[index].values.release()
        contents.parts[index].timer.valuesReleased()
      }
    }
  }
}
