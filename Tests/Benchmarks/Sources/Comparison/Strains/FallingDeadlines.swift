import TimerScheduling

/// Timers each of which is due earlier than all before, beside as many each of which is due later.
struct FallingDeadlines {
  private static let count = 300_000

  func run() -> [Strain.Finding] {
    let rising = cost { .seconds(60) + .microseconds($0) }
    let falling = cost { .seconds(3600) - .microseconds($0) }
    return [
      Strain.Finding(
        title: "to schedule 300,000 timers, each later than all before", value: rising, unit: "µs"),
      Strain.Finding(
        title: "to schedule 300,000 timers, each earlier than all before", value: falling, unit: "µs"),
      Strain.Finding(title: "the ratio of the two", value: falling / rising, unit: "", aim: "at most 2"),
    ]
  }

  /// The CPU time for each.
  private func cost(_ delay: (Int) -> Duration) -> Double {
    let scheduler = TimerScheduler()
    let before = ProcessUsage.whenQuiet()
    let timers = (0..<Self.count).map { number in scheduler.schedule(.after(delay(number))) { _ in } }
    let after = ProcessUsage.whenQuiet()
    for timer in timers { timer.cancel() }
    return (after.cpu - before.cpu).microseconds / Double(Self.count)
  }
}
