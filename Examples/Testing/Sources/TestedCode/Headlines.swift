import TimerScheduling

/// The view model of a screen that loads its lines anew while it is shown.
@MainActor package final class Headlines {
  package private(set) var lines: [String] = []
  private let load: @Sendable () async -> [String]

  package init(on scheduler: TimerScheduler, load: @escaping @Sendable () async -> [String]) {
    self.load = load
    scheduler.schedule(every: 30, owner: self) { headlines, _ in headlines.refresh() }
  }

  /// Leaves a task behind, as the button of a screen does.
  package func refresh() {
    Task { lines = await load() }
  }
}
