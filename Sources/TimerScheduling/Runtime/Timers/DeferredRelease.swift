/// User values held by timers that have finished on the driver's queue, to be released off it.
///
/// Releasing a value can run a `deinit`, and cancelling a task can run its handlers; neither may happen on the queue.
/// A later block of the queue takes this object from the driver, when no pass holds one of the values any more, and has
/// it emptied elsewhere. So the object itself may then be released on any thread.
final class DeferredRelease: Sendable {
  private struct Part: Sendable {
    let timer: TimerEntry
    /// Nil for a timer that itself must be released, as it holds an error.
    var values: TimerEffects.HeldValues?
  }

  /// Guards the timers and their values.
  private let parts = Lock<[Part]>([])

  func add(_ timer: TimerEntry, _ values: TimerEffects.HeldValues? = nil) {
    parts.withLock { $0.append(Part(timer: timer, values: values)) }
  }

  /// Cancels tasks, releases all values, and notifies the timers.
  func releaseValues() {
    var parts = parts.withLock { parts in
      defer { parts = [] }
      return parts
    }
    for index in parts.indices where parts[index].values != nil {
      parts[index].values?.release()
      parts[index].timer.valuesReleased()
    }
  }
}
