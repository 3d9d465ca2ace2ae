/// What ended timers have held of the user's, found on the scheduler's queue.
///
/// To release it may run a `deinit`, and to cancel a task its handlers, which have no place there.
struct Remains: ~Copyable, Sendable {
  struct Contents {
    var leftovers: [FollowUp.Leftovers] = []
    var records: [TimerRecord] = []
  }

  /// Guards what is still to be disposed of.
  private let contents = Lock(Contents())

  var isEmpty: Bool {
    contents.withLock { $0.leftovers.isEmpty && $0.records.isEmpty }
  }

  func put(_ leftovers: FollowUp.Leftovers) {
    contents.withLock { $0.leftovers.append(leftovers) }
  }

  func put(_ record: TimerRecord) {
    contents.withLock { $0.records.append(record) }
  }

  /// Cancels tasks, and releases everything.
  func dispose() {
    let taken = contents.withLock { contents in
      defer { contents = Contents() }
      return contents
    }
    for leftovers in taken.leftovers { leftovers.task?.cancel() }
  }
}
