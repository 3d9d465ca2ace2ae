package import TimerScheduling

/// A timer whose action has taken long within the last hour.
package struct SlowAction: Sendable {
  package static let countLimit = 10

  package let id: ScheduledTimer.ID
  /// The longest run of the last hour, in seconds.
  package let longest: Double
  /// The last run that has ended, in seconds. Nil if none was kept.
  package let last: Double?

  /// The ten timers whose longest run of the last hour was the longest, the slowest first.
  static func slowest(in history: TimerHistory, upTo minute: Int) -> [SlowAction] {
    let actions = history.pasts.compactMap { id, past -> SlowAction? in
      let longest = past.series.minutes(upTo: minute).compactMap { $0?.runTime }.max()
      return longest.map {
        SlowAction(id: id, longest: Double($0), last: past.runs.first?.duration.seconds)
      }
    }
    return Array(actions.sorted { ($0.longest, "\($1.id)") > ($1.longest, "\($0.id)") }.prefix(countLimit))
  }
}
