import TimerScheduling

/// The observable results of a scenario so far.
struct Outcome: Equatable, Sendable {
  struct Status: Equatable, Sendable {
    var state: ScheduledTimer.State
    var nextDate: Int64?
    var remainingTime: Int64?
  }

  /// The ticks that each consumer has got.
  var logs: [Int: [Tick]] = [:]
  /// The actions whose run was cancelled.
  var cancelled: Set<Int> = []
  /// The states of the timers of which the test has a handle.
  var statuses: [Int: Status] = [:]
  /// The timer that was found under each name that was looked for.
  var found: [Int?] = []
}

extension Outcome {
  /// A description of the differences between the two.
  func difference(from expected: Outcome) -> String {
    var lines: [String] = []
    for consumer in Set(logs.keys).union(expected.logs.keys).sorted() {
      let (actual, wanted) = (logs[consumer] ?? [], expected.logs[consumer] ?? [])
      guard actual != wanted else { continue }
      let common = zip(actual, wanted).prefix { $0 == $1 }.count
      lines.append("consumer \(consumer), after \(common) ticks as expected:")
      lines.append("  expected \(wanted.dropFirst(common))")
      lines.append("  actual   \(actual.dropFirst(common))")
    }
    for timer in Set(statuses.keys).union(expected.statuses.keys).sorted() {
      let (actual, wanted) = (statuses[timer], expected.statuses[timer])
      guard actual != wanted else { continue }
      lines.append("timer \(timer):")
      lines.append("  expected \(wanted?.description ?? "none")")
      lines.append("  actual   \(actual?.description ?? "none")")
    }
    if cancelled != expected.cancelled {
      lines.append("cancelled \(cancelled.sorted()), expected \(expected.cancelled.sorted())")
    }
    if found != expected.found { lines.append("found \(found), expected \(expected.found)") }
    return lines.joined(separator: "\n")
  }
}

extension Outcome.Status: CustomStringConvertible {
  var description: String {
    "\(state), next \(nextDate?.inSeconds ?? "-"), remaining \(remainingTime?.inSeconds ?? "-")"
  }
}
