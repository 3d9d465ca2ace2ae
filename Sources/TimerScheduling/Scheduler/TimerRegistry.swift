/// The live timers of a scheduler that have no deadline: those that are paused, or wait for somebody to take a tick.
///
/// Each record knows its position, so entering and leaving are O(1). Belongs to the scheduler's isolation.
final class TimerRegistry {
  private(set) var records: [TimerRecord] = []

  deinit {
    // Only a scheduler that isn't held by its timers can be released before them. They are taken out, as in a lane.
    let orphans = records
    records = []
    orphans.finishWithoutScheduler()
  }

  /// Enters a record that is nowhere.
  func enter(_ record: TimerRecord) {
    record.placement = .unfiled(position: records.count)
    records.append(record)
  }

  /// Takes out the record at a position.
  func leave(_ position: Int) {
    records[position].placement = .none
    let last = records.removeLast()
    if position < records.count {
      last.placement = .unfiled(position: position)
      records[position] = last
    }
    // Gives memory back once a large registry has emptied.
    if records.isEmpty, records.capacity > 4096 { records = [] }
  }
}
