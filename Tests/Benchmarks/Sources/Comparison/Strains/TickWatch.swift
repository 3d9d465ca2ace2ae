import Dispatch
import Synchronization
import TimerScheduling

/// Counts the ticks of a timer of 10 ms, and the greatest distance between two.
final class TickWatch: Sendable {
  static let interval = Duration.milliseconds(10)

  private struct Ticks {
    var count = 0
    var last = Uptime.now
    var longestGap = Delay(.zero)
  }

  private let ticks = Mutex(Ticks())

  var count: Int { ticks.withLock(\.count) }
  var longestGap: Double { ticks.withLock { $0.longestGap.microseconds / 1000 } }

  func note() {
    ticks.withLock { ticks in
      let now = Uptime.now
      ticks.count += 1
      ticks.longestGap = max(ticks.longestGap, now - ticks.last)
      ticks.last = now
    }
  }

  /// A timer of `scheduler` and a bare dispatch timer tick side by side while `load` goes on, which blocks.
  static func compare(
    _ scheduler: TimerScheduler, named title: String, _ load: () throws -> Void
  ) rethrows -> [Strain.Finding] {
    let (ours, bare) = (TickWatch(), TickWatch())
    let timer = scheduler.schedule(.every(interval)) { _ in ours.note() }
    let dispatchTimer = DispatchTimer(on: DispatchQueue(label: "bare"))
    dispatchTimer.schedule(
      in: Rhythm(start: .now + Delay(interval), interval: Delay(interval)))
    dispatchTimer.start { bare.note() }
    try load()
    timer.cancel()
    dispatchTimer.cancel()
    return [
      Strain.Finding(
        title: "ticks of a bare dispatch timer's, \(title)",
        value: 100 * Double(ours.count) / Double(bare.count),
        unit: "%", aim: "at least 90"),
      Strain.Finding(title: "longest gap, \(title)", value: ours.longestGap, unit: "ms"),
      Strain.Finding(
        title: "longest gap of the dispatch timer, \(title)", value: bare.longestGap, unit: "ms"),
    ]
  }
}
