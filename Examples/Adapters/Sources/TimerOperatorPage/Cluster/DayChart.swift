import TimerSchedulingCluster

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A chart of the runs of the last day: for each hour a bar for all runs, and one for those that failed or
/// were abandoned.
struct DayChart: Sendable, Hashable {
  static let (width, height) = (240, 48)
  /// The greatest number of runs that are read.
  static let runLimit = 5_000
  private static let hourCount = 24

  /// The paths of the bars, for an image of 240 by 48.
  let runs: String
  let failures: String
  /// A sentence that says what the chart shows.
  let text: String
  /// The moment before which no run was read. Nil if all of the day were.
  let start: Date?

  /// - Parameter history: The newest runs, the newest first, but no more than the limit.
  init(_ history: [ClusterRunRecord], at now: Date) {
    var (counts, failed) = (
      [Int](repeating: 0, count: Self.hourCount), [Int](repeating: 0, count: Self.hourCount)
    )
    let hour = Self.hour(of: now)
    for run in history {
      let index = Self.hourCount - 1 - (hour - Self.hour(of: run.began))
      guard counts.indices.contains(index) else { continue }
      counts[index] += 1
      if run.hasFailed { failed[index] += 1 }
    }
    let (all, bad) = (counts.reduce(0, +), failed.reduce(0, +))
    let isCut = history.count >= Self.runLimit && all == history.count
    start = isCut ? history.last?.began : nil
    let most = max(counts.max() ?? 0, 1)
    runs = Self.path(counts, of: most, shift: 3)
    failures = Self.path(failed, of: most, shift: 7)
    let what = all == 1 ? "1 run" : "\(all.grouped) runs"
    text = "\(isCut ? "The newest " : "")\(what)\(isCut ? "" : " in the last day"), \(bad.grouped) failed"
  }

  private static func hour(of date: Date) -> Int {
    Int((date.timeIntervalSince1970 / 3_600).rounded(.down))
  }

  private static func path(_ counts: [Int], of most: Int, shift: Int) -> String {
    counts.enumerated().compactMap { index, count in
      // A single failure among many runs is still seen.
      count == 0 ? nil : "M\(10 * index + shift) \(height)v-\(max(count * (height - 2) / most, 2))"
    }.joined()
  }
}

extension DayChart {
  var html: HTML {
    """
    <figure id="day">
    <svg role="img" aria-label="\(text)" viewBox="0 0 \(String(Self.width)) \(String(Self.height))" \
    preserveAspectRatio="none"><path class="runs" d="\(runs)"/><path class="failures" d="\(failures)"/></svg>
    <figcaption>\(text)\(since).</figcaption>
    </figure>
    """
  }

  private var since: HTML { start.map { ", since \(HTML.time(TimerRow.text(of: $0)))" } ?? "" }
}
