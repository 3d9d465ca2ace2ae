/// User values held by timers that have finished on the scheduler's queue, to be released off it.
///
/// Releasing a value may run a `deinit`, and cancelling a task its handlers, which have no place on the queue. The
/// values are taken elsewhere by a block of the queue's own, when no pass that came upon them still holds one.
struct DeferredRelease: Sendable {
  private struct Entry: Sendable {
    var remains: FollowUp.Remains
    let record: TimerRecord
  }

  private var entries: [Entry] = []
  /// Records that hold an error.
  private var records: [TimerRecord] = []

  var isEmpty: Bool { entries.isEmpty && records.isEmpty }

  mutating func add(_ remains: FollowUp.Remains, of record: TimerRecord) {
    entries.append(Entry(remains: remains, record: record))
  }

  mutating func add(_ record: TimerRecord) { records.append(record) }

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
      for index in contents.entries.indices {
        contents.entries[index].remains.release()
        contents.entries[index].record.noteReleased()
      }
    }
  }
}
