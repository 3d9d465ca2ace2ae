import TimerScheduling

/// The order of rows: by a column, and upwards or downwards. It is written as `ticks` or, downwards, as
/// `-ticks`.
package struct RowOrder: Sendable, Hashable, LosslessStringConvertible {
  package enum Column: String, Sendable, CaseIterable {
    case name, state, next, ticks, missed, failures, lateness
  }

  package var column = Column.name
  package var isDescending = false

  package init() {}

  package init?(_ description: String) {
    isDescending = description.hasPrefix("-")
    guard let column = Column(rawValue: String(description.drop { $0 == "-" })) else { return nil }
    self.column = column
  }

  package var description: String { (isDescending ? "-" : "") + column.rawValue }

  /// The order after a press on a column's header. Numbers begin with the greatest.
  func pressing(_ pressed: Column) -> RowOrder {
    var order = self
    if column == pressed {
      order.isDescending.toggle()
    } else {
      order.column = pressed
      order.isDescending = pressed.isCount
    }
    return order
  }
}

extension RowOrder.Column {
  fileprivate var isCount: Bool {
    switch self {
    case .ticks, .missed, .failures, .lateness: true
    case .name, .state, .next: false
    }
  }

  var title: String {
    switch self {
    case .name: "Timer"
    case .state: "State"
    case .next: "Next"
    case .ticks: "Ticks"
    case .missed: "Missed"
    case .failures: "Failures"
    case .lateness: "Last lateness"
    }
  }

  /// The number by which rows are sorted. Rows of the same number are sorted by name.
  func key(of snapshot: TimerSnapshot) -> Double {
    switch self {
    case .name: snapshot.name == nil ? 1 : 0
    case .state: snapshot.isRunning ? 0 : snapshot.state == .scheduled ? 1 : 2
    case .next: snapshot.remainingTime?.seconds ?? .infinity
    case .ticks: Double(snapshot.tickCount)
    case .missed: Double(snapshot.missedCount)
    case .failures: Double(snapshot.failureCount)
    case .lateness: snapshot.lastLateness?.seconds ?? -1
    }
  }
}
