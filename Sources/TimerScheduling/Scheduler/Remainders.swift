/// What ended timers have held of the user's, found on the scheduler's queue.
///
/// To release it may run a `deinit`, and to cancel a task its handlers, which have no place there. It is taken
/// elsewhere by a block of the queue's own, when no pass that came upon it still holds a part of it.
struct Remainders: Sendable {
  private var remains: [FollowUp.Remains] = []
  /// Records that hold an error.
  private var records: [TimerRecord] = []

  var isEmpty: Bool { remains.isEmpty && records.isEmpty }

  mutating func add(_ remains: FollowUp.Remains) { self.remains.append(remains) }
  mutating func add(_ record: TimerRecord) { records.append(record) }

  /// Hands everything over.
  mutating func pack() -> Parcel {
    defer { self = Remainders() }
    return Parcel(self)
  }

  /// Is emptied in one place, whoever releases it.
  final class Parcel: Sendable {
    /// Guards the contents until they are taken out.
    private let contents: Lock<Remainders?>

    fileprivate init(_ contents: Remainders) { self.contents = Lock(contents) }

    /// Cancels tasks, and releases everything.
    func unpack() {
      let contents = contents.withLock { $0.take() }
      for remains in contents?.remains ?? [] { remains.cancel() }
    }
  }
}
