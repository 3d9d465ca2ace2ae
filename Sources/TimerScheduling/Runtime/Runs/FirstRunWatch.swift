import Dispatch
import Synchronization

/// Notes whether a timer's first run on the main actor begins. If it hasn't after ten intervals, a line says so: the work
/// of `main` may keep the main actor, where an action that is written there runs.
///
/// The watch holds neither the timer nor its scheduler.
final class FirstRunWatch: Sendable {
  /// A run of a longer interval isn't watched.
  static let longestInterval = Interval(seconds: 60)
  private static let shortestWait = Interval(seconds: 1)

  private let hasBegun = Atomic<Bool>(false)

  init(timer: String, interval: Interval) {
    let wait = max(Interval(nanoseconds: interval.nanoseconds * 10), Self.shortestWait)
    let time = DispatchTime.now() + .nanoseconds(Int(wait.nanoseconds))
    DispatchQueue.global().asyncAfter(deadline: time) { [self] in
      if hasBegun.load(ordering: .relaxed) { return }
      StandardError.print(
        """
        TimerScheduling: The action of \(timer) has waited for the main actor for \(wait.duration). An action that is \
        written in code of the main actor, such as main(), runs there. To run it elsewhere, write \
        { @concurrent tick in … }.
        """)
    }
  }

  func runBegins() { hasBegun.store(true, ordering: .relaxed) }
}
