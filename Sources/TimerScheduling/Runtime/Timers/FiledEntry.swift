/// An entry of a scheduler's queue of deadlines: a timer, or a task's wait.
enum FiledEntry: QueueEntry {
  case timer(TimerEntry)
  case wait(TimedWait)

  var timer: TimerEntry? {
    switch self {
    case .timer(let timer): timer
    case .wait: nil
    }
  }

  @inline(__always)
  var ends: UInt64 {
    switch self {
    case .timer(let timer): timer.ends
    case .wait(let wait): wait.purpose == .sleep ? 0 : 1
    }
  }

  var isLimit: Bool {
    switch self {
    case .timer: false
    case .wait(let wait): wait.purpose == .limit
    }
  }

  /// Ends the entry after the queue was closed. A limit goes on after a shutdown.
  func driverClosed(onQueue: Bool) {
    switch self {
    case .timer(let timer): timer.driverClosed(onQueue: onQueue)
    case .wait(let wait): wait.driverClosed()
    }
  }
}
