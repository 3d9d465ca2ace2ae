/// The past of one timer.
package struct TimerPast: Sendable {
  package static let runLimit = 10

  package internal(set) var series = MinuteSeries()
  /// Whether a further timer may take the place of this one: it has finished, or hasn't been seen to tick.
  var isReplaceable = true
  /// The last runs, the newest first.
  package private(set) var runs: [PastRun] = []

  /// The number of deadlines without a tick before the last one. Nil before the first tick.
  var lastMissedCount: Int?

  /// The run time that half of the last runs didn't exceed.
  var usualRunTime: Duration? {
    let times = runs.map(\.duration).sorted()
    return times.isEmpty ? nil : times[times.count / 2]
  }

  /// Whether the last run that wasn't cancelled has failed. Nil if there is none.
  var hasLastFailed: Bool? {
    runs.first { $0.outcome != .cancelled }.map { $0.outcome != .ended }
  }

  mutating func add(_ run: PastRun) {
    runs.insert(run, at: 0)
    if runs.count > Self.runLimit { runs.removeLast() }
  }
}
