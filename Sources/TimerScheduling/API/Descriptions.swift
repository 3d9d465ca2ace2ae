import Dispatch

extension ScheduledTimer: CustomStringConvertible {
  /// The timer's number, name and state, such as `timer 7 "refresh", paused`.
  public var description: String { entry.description(as: "timer") }
}

extension Countdown: CustomStringConvertible {
  /// The countdown's number, name, state and value, such as `countdown 7 "code", scheduled, 3.0 seconds`.
  public var description: String { "\(timer.entry.description(as: "countdown")), \(value)" }
}

extension TimerScheduler: CustomStringConvertible {
  /// The scheduler's label and the number of its timers, such as `scheduler "TimerScheduler", 3 timers`.
  public nonisolated var description: String {
    let count = context.counts.live
    return "scheduler \"\(context.executor.queue.label)\", \(count) \(count == 1 ? "timer" : "timers")"
  }
}

extension TimerEntry {
  fileprivate func description(as kind: String) -> String {
    "\(kind) \(id)\(name.map { " \"\($0)\"" } ?? ""), \(state)"
  }
}
