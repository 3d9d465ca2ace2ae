extension Attendance {
  /// Somebody who was waited for in vain.
  struct Absentee {
    enum Duty: Hashable { case firstTick, nextTick, action, task, sleep, work }

    /// What is said once only: that of a timer, or that of somebody without one.
    enum Subject: Hashable {
      case timer(UInt64)
      case duty(Duty)
    }

    let duty: Duty
    var timer: UInt64?
    var name: String?

    var subject: Subject { timer.map { .timer($0) } ?? .duty(duty) }
  }
}

extension Attendance.Absentee {
  /// What is printed of it.
  func description(after timeout: Duration) -> String {
    let timer = name.map { "timer \"\($0)\"" } ?? timer.map { "timer \($0), which has no name," } ?? "a timer"
    let failing =
      switch duty {
      case .firstTick: "Nobody has asked \(timer) for its first tick"
      case .nextTick: "The consumer of \(timer) hasn't asked for its next tick"
      case .action: "The action of \(timer) hasn't returned"
      case .task: "A task that was added to the clock hasn't ended or waited for it"
      case .sleep:
        "A task that has slept hasn't waited for the clock again (add it by `addTask` and its end is known)"
      case .work: "A scheduler's work in a task of its own, such as asking a rule, hasn't ended"
      }
    return "\(failing) within \(timeout). The clock goes on without waiting for it."
  }
}
