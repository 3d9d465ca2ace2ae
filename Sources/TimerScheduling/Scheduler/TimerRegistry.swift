/// The live timers of a scheduler.
///
/// Each record knows its position, so entering and leaving are O(1).
struct TimerRegistry {
  private var records: [TimerRecord] = []

  /// Enters a record, unless it is there.
  mutating func enter(_ record: TimerRecord) {
    guard record.placement.position == nil else { return }
    record.placement.position = Int32(records.count)
    records.append(record)
  }

  /// Takes a record out, if it is there.
  mutating func leave(_ record: TimerRecord) {
    guard let position = record.placement.position else { return }
    record.placement.position = nil
    let last = records.removeLast()
    if last !== record {
      last.placement.position = position
      records[Int(position)] = last
    }
    // Gives memory back once a large registry has emptied.
    if records.isEmpty, records.capacity > 4096 { records = [] }
  }
}

extension TimerRegistry: RandomAccessCollection {
  var startIndex: Int { 0 }
  var endIndex: Int { records.count }

  subscript(position: Int) -> TimerRecord { records[position] }
}
