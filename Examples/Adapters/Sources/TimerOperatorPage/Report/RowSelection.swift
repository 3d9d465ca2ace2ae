import TimerScheduling

/// Chooses the timers that a page shows: those with a name first, by name, and then the oldest.
enum RowSelection {
  static let maximumCount = 200

  static func rows(of snapshots: [TimerSnapshot], without hidden: ScheduledTimer.ID?) -> [TimerSnapshot] {
    var named: [(name: String, number: UInt64, snapshot: TimerSnapshot)] = []
    var unnamed: [(number: UInt64, snapshot: TimerSnapshot)] = []
    for snapshot in snapshots where snapshot.id != hidden {
      let number = UInt64(snapshot.id.description) ?? .max
      if let name = snapshot.name {
        named.append((name, number, snapshot))
      } else if unnamed.count < maximumCount || number < unnamed[maximumCount - 1].number {
        // Kept in order and short, as there may be a million.
        let index = unnamed.firstIndex { $0.number > number } ?? unnamed.endIndex
        unnamed.insert((number, snapshot), at: index)
        if unnamed.count > maximumCount { unnamed.removeLast() }
      }
    }
    named.sort { ($0.name, $0.number) < ($1.name, $1.number) }
    return Array((named.map(\.snapshot) + unnamed.map(\.snapshot)).prefix(maximumCount))
  }
}
