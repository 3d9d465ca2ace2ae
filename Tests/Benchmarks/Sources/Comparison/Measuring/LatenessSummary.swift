import Histogram

/// The lateness of the ticks of many timers.
struct LatenessSummary {
  private(set) var ticks = 0
  private var histogram = Histogram<UInt32>(
    highestTrackableValue: 60_000_000_000, numberOfSignificantValueDigits: .three)
  private var missed = 0
  private var minimum = Delay(nanoseconds: .max)
  /// By how many nanoseconds timers have become later, and over how many.
  private var drift = (lateness: 0.0, time: 0.0)

  mutating func add(_ track: TickTrack) {
    ticks += track.lateness.count
    missed += track.missedCount
    for lateness in track.lateness {
      minimum = min(minimum, lateness)
      histogram.record(UInt64(max(0, lateness.nanoseconds)))
    }
    addDrift(of: track)
  }

  /// Takes the median of the first ticks and that of the last, as one tick may be late by anything.
  private mutating func addDrift(of track: TickTrack) {
    let size = track.lateness.count / 5
    guard size > 0 else { return }
    let (first, last) = (track.lateness.prefix(size).sorted(), track.lateness.suffix(size).sorted())
    drift.lateness += Double((last[size / 2] - first[size / 2]).nanoseconds)
    drift.time += Double((track.lateness.count - size) * Int(track.interval.nanoseconds))
  }

  var findings: Findings {
    Findings(
      [
        .ticks: Double(ticks), .missed: Double(missed),
        .minimum: minimum.microseconds, .maximum: Double(histogram.max) / 1e3,
        .p50: lateness(at: 50), .p99: lateness(at: 99), .p999: lateness(at: 99.9),
        .drift: drift.time > 0 ? drift.lateness / drift.time * 1e6 : 0,
      ], curve: curve)
  }

  /// As far as there are ticks beyond a point.
  private var curve: [Double] {
    (0...).lazy.map(Findings.percentile)
      .prefix { (100 - $0) * Double(ticks) >= 100 }
      .map { lateness(at: $0) }
  }

  private func lateness(at percentile: Double) -> Double {
    Double(histogram.valueAtPercentile(percentile)) / 1e3
  }
}
