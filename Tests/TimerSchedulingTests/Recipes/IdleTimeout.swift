import TimerScheduling

/// Acts once a connection hasn't been used for a while, unless it was released before.
actor IdleTimeout {
  private let limit: Duration
  private var timer: ScheduledTimer?
  private var isOver = false

  init(
    after limit: Duration, on scheduler: TimerScheduler, action: @escaping @Sendable () async -> Void
  ) async {
    self.limit = limit
    timer = scheduler.schedule(after: limit, owner: self) { timeout, _ in
      timeout.isOver = true
      await action()
    }
  }

  /// Begins the time anew. Returns false if it's already over.
  @discardableResult func use() -> Bool { !isOver && timer?.reschedule(.after(limit)) == true }
}
