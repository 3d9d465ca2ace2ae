package import TimerScheduling

extension Attendance {
  /// Somebody who may be busy.
  package enum Attendee: Hashable {
    case consumer(TickConsumer)
    /// A task that was started by the clock.
    case task(UInt64)

    var timer: UInt64? {
      switch self {
      case .consumer(let consumer): consumer.timer
      case .task: nil
      }
    }
  }
}
