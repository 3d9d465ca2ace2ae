package import TimerScheduling

extension Attendance {
  /// A consumer or a task that may be busy.
  package enum Attendee: Hashable {
    case consumer(TickConsumer)
    /// A task that the clock waits for from its start.
    case task(UInt64)

    var timer: UInt64? {
      switch self {
      case .consumer(let consumer): consumer.timer
      case .task: nil
      }
    }
  }
}
