import TimerScheduling

/// The runs under way, for messages.
extension Attendance {
  /// A run of an action.
  struct Run {
    /// The timer in words.
    let timer: String
    let tasks: Set<TaskIdentity>
  }

  /// A wait for a timer.
  enum KnownWait {
    case sleep
    case tick(of: String)
    case end
  }

  /// Returns the runs of a scheduler that are under way, in the order of their timers.
  func runs(of scheduler: UInt64) -> [Run] {
    let runs = members.filter { attendee, member in
      if case .consumer(.run) = attendee { member.scheduler == scheduler } else { false }
    }
    return runs.keys.sorted { ($0.timer ?? 0) < ($1.timer ?? 0) }.map {
      Run(timer: description(ofTimerOf: $0), tasks: tasks.tasks(in: .of($0)))
    }
  }

  /// Returns a wait of one of these tasks.
  func wait(in tasks: Set<TaskIdentity>) -> KnownWait? {
    let waits = waits.values.filter { $0.hasBegun && tasks.contains($0.task) }
    guard let wait = waits.min(by: { $0.task < $1.task }) else { return nil }
    guard let attendee = wait.attendee else { return .end }
    return members[attendee]?.isSleep == true ? .sleep : .tick(of: description(ofTimerOf: attendee))
  }

  private func description(ofTimerOf attendee: Attendee) -> String {
    Self.description(ofTimer: attendee.timer, name: members[attendee]?.name)
  }

  static func description(ofTimer number: UInt64?, name: String?) -> String {
    name.map { "timer \"\($0)\"" } ?? number.map { "timer \($0), which has no name," } ?? "a timer"
  }
}
