import TimerScheduling

/// Acts once a connection hasn't been used for a while, unless it was released before.
actor IdleTimeout {
  private let scheduler: TimerScheduler
  private let limit: Duration
  private let action: @Sendable () async -> Void
  private var isOver = false

  init(after limit: Duration, on scheduler: TimerScheduler, action: @escaping @Sendable () async -> Void) {
    self.scheduler = scheduler
    self.limit = limit
    self.action = action
    begin()
  }

  /// Begins the time anew. Returns false if it's already over.
  @discardableResult func use() -> Bool {
    if !isOver { begin() }
    return !isOver
  }

  private nonisolated func begin() {
    scheduler.schedule(after: limit, name: "idle", owner: self) { timeout, _ in await timeout.end() }
  }

  private func end() async {
    // A use that came just before this has replaced the timer, which cancels the run.
    guard !Task.isCancelled else { return }
    isOver = true
    await action()
  }
}
