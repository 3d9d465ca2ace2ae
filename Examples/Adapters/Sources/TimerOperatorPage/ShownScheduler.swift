public import TimerScheduling

/// A scheduler whose timers an ``OperatorPage`` shows.
public struct ShownScheduler: Sendable {
  /// The scheduler.
  public let scheduler: TimerScheduler
  /// The name of the scheduler on the page and in its addresses.
  public let name: String
  /// The history of the scheduler's timers. Nil if the page shows no runs and no charts.
  public let history: TimerHistory?

  /// Creates a description of a scheduler.
  ///
  /// - Parameters:
  ///   - scheduler: The scheduler.
  ///   - name: Its name, which consists of the letters A to Z, digits and hyphens.
  ///   - history: What its timers have done, which
  ///     ``TimerScheduling/TimerScheduler/Configuration/record(in:)`` fills.
  /// - Precondition: `name` isn't empty, isn't `selected`, and has no other character.
  public init(_ scheduler: TimerScheduler, name: String, history: TimerHistory? = nil) {
    precondition(
      !name.isEmpty && name != "selected" && name.unicodeScalars.allSatisfy(Self.isAllowed),
      "A scheduler's name on the page has letters, digits and hyphens, but was \"\(name)\".")
    self.scheduler = scheduler
    self.name = name
    self.history = history
  }

  private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "a"..."z", "A"..."Z", "0"..."9", "-": true
    default: false
    }
  }
}
