/// The numbers of firings by lateness. Each power of two is divided into sixteen equal buckets, as in an HDR
/// histogram, so a percentile is at most a sixteenth too high. The buckets take 8 kB.
package struct LatenessHistogram: Sendable {
  private static let subdivisions = 16

  package private(set) var count = 0
  package private(set) var max = Interval.zero
  private var buckets: [Int] = []

  package init() {}

  package mutating func record(_ lateness: Interval) {
    if buckets.isEmpty { buckets = [Int](repeating: 0, count: Self.bucket(of: .max) + 1) }
    count += 1
    max = Swift.max(max, lateness)
    buckets[Self.bucket(of: lateness)] += 1
  }

  /// Returns the lateness that a share of the firings, from 0 to 1, didn't exceed. Zero if there was no
  /// firing.
  package func percentile(_ share: Double) -> Interval {
    let rank = Swift.max(Int((Double(count) * share).rounded(.up)), 1)
    var seen = 0
    for (bucket, count) in buckets.enumerated() {
      seen += count
      if seen >= rank { return min(Self.upperBound(of: bucket), max) }
    }
    return .zero
  }

  private static func bucket(of lateness: Interval) -> Int {
    let nanoseconds = Int(Swift.max(lateness.nanoseconds, 0))
    // Below 32 ns, each nanosecond has its own bucket.
    let exponent = Swift.max(Int.bitWidth - 1 - nanoseconds.leadingZeroBitCount - 4, 0)
    return exponent * subdivisions + nanoseconds >> exponent
  }

  private static func upperBound(of bucket: Int) -> Interval {
    let exponent = Swift.max(bucket / subdivisions - 1, 0)
    let mantissa = UInt64(bucket - exponent * subdivisions)
    return Interval(nanoseconds: Int64((mantissa + 1) << exponent - 1))
  }
}

extension TimerStatistics.Lateness {
  init(_ histogram: LatenessHistogram) {
    count = histogram.count
    p50 = histogram.percentile(0.5).duration
    p99 = histogram.percentile(0.99).duration
    max = histogram.max.duration
  }
}
