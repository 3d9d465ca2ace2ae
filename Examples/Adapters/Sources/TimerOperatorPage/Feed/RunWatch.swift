package import TimerScheduling

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// Since when runs go on, as far as looks have seen it, for timers whose runs no history tells.
package struct RunWatch: Sendable {
  private struct Run: Sendable {
    let ticks: Int
    let since: Date
  }

  /// The runs that the newest look has seen, of each scheduler.
  private var runs: [Int: [TimerID: Run]] = [:]

  package init() {}

  /// Notes what a look has seen. A run is the one seen before if the timer hasn't ticked since.
  package mutating func note(_ looks: [[TimerSnapshot]?], at date: Date) {
    for (source, look) in looks.enumerated() {
      guard let look else { continue }
      let before = runs[source] ?? [:]
      var now: [TimerID: Run] = [:]
      for snapshot in look where snapshot.isRunning {
        let run = before[snapshot.id].flatMap { $0.ticks == snapshot.tickCount ? $0 : nil }
        now[snapshot.id] = run ?? Run(ticks: snapshot.tickCount, since: date)
      }
      runs[source] = now
    }
  }

  package func since(_ timer: TimerID, in source: Int) -> Date? { runs[source]?[timer]?.since }
}
