/// Where a scheduler has a record.
enum Placement {
  /// Nowhere: the record is new, or its timer has finished.
  case none
  /// Among the deadlines on one of the clocks.
  case filed(Entry)
  /// Among the live timers that have no deadline.
  case unfiled(position: UInt32)

  struct Entry {
    var timeline: Timeline
    var handle: TimingWheel<TimerRecord>.Handle
  }
}
