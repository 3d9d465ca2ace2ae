import Dispatch
import Synchronization

/// Waits for a timer's first run on the main actor to begin. If it hasn't after ten intervals, a line says
/// so: the work of `main` may keep the main actor, where an action that is written there runs.
///
/// The watch holds neither the timer nor its scheduler. There is one at a time, as all such runs wait for one
/// actor, and none after the line.
final class FirstRunWatch: Sendable {
  private static let longestInterval = Interval(seconds: 10)
  private static let shortestWait = Interval(seconds: 1)
  private static let isUnderWay = Atomic<Bool>(false)

  private let isOver = Atomic<Bool>(false)

  /// Returns nil if another run is watched, or this one's interval is too long.
  static func begin(of timer: @autoclosure () -> String, every interval: Interval) -> FirstRunWatch? {
    guard interval <= longestInterval, !isUnderWay.exchange(true, ordering: .relaxed) else { return nil }
    let (watch, timer) = (FirstRunWatch(), timer())
    let wait = max(Interval(nanoseconds: interval.nanoseconds * 10), shortestWait)
    DispatchQueue.global().asyncAfter(deadline: .now() + .nanoseconds(Int(wait.nanoseconds))) {
      if watch.isOver.exchange(true, ordering: .relaxed) { return }
      StandardError.print(
        """
        TimerScheduling: The action of \(timer) has waited for the main actor for \(wait.duration). An action that is \
        written in code of the main actor, such as main(), runs there. To run it elsewhere, write \
        { @concurrent tick in … }. This is printed once.
        """)
    }
    return watch
  }

  func runBegins() {
    if !isOver.exchange(true, ordering: .relaxed) { Self.isUnderWay.store(false, ordering: .relaxed) }
  }
}
