/// Where a scheduler has a record: its place in the registry and in one of the deadline queues.
struct Placement {
  struct Entry {
    var timeline: Timeline
    var handle: TimingWheel<TimerRecord>.Handle
  }

  /// Nil while the record isn't registered.
  var position: Int32?
  /// Nil while no deadline is filed.
  var entry: Entry?
}
