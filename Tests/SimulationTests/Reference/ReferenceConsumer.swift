/// One consumer of a timer's ticks: a stream's, a listener or an action.
struct ReferenceConsumer {
  enum Activity: Equatable {
    /// Waits for a tick.
    case asking
    /// Busy with a tick.
    case asleep(until: Int64)
    case gone
  }

  let number: Int
  let busyTimes: BusyTimes
  var isAction = false
  /// Whether it sees dates only.
  var isOfDates = false
  var activity = Activity.asking
  /// Whether it is an action whose run was cancelled.
  var isCancelled = false
  /// The numbers of the ticks that have come since it took one.
  var owed: [Int] = []
  var log: [Tick] = []

  init(_ number: Int, _ busyTimes: BusyTimes) {
    self.number = number
    self.busyTimes = busyTimes
  }

  var isAsleep: Bool {
    switch activity {
    case .asleep: true
    case .asking, .gone: false
    }
  }
}
