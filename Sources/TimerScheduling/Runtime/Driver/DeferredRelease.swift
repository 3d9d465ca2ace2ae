/// User values held by timers that have finished on the driver's queue, to be released off it.
///
/// Releasing a value may run a `deinit`, and cancelling a task its handlers, which have no place on the queue. The
/// values are taken elsewhere by a block of the queue's own, when no pass that came upon them still holds one.
struct DeferredRelease: Sendable {
  private struct Part: Sendable {
    var remains: TimerEffects.Remains
    let timer: TimerEntry
  }

  private var parts: [Part] = []
  /// Timers that hold an error.
  private var timers: [TimerEntry] = []

  var isEmpty: Bool { parts.isEmpty && timers.isEmpty }

  mutating func add(_ remains: TimerEffects.Remains, of timer: TimerEntry) {
    parts.append(Part(remains: remains, timer: timer))
  }

  mutating func add(_ timer: TimerEntry) { timers.append(timer) }

  /// Hands everything over.
  mutating func pack() -> Parcel {
    defer { self = DeferredRelease() }
    return Parcel(self)
  }

  /// Is emptied in one place, wherever the parcel itself is released.
  final class Parcel: Sendable {
    /// Guards the contents until they are taken out.
    private let contents: Lock<DeferredRelease?>

    fileprivate init(_ contents: DeferredRelease) { self.contents = Lock(contents) }

    /// Cancels tasks, releases everything, and tells the timers.
    func unpack() {
      guard var contents = contents.withLock({ $0.take() }) else { return }
      for index in contents.parts.indices {
        contents.parts[index].remains.release()
        contents.parts[index].timer.valuesReleased()
      }
    }
  }
}
