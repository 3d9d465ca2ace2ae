public import TimerScheduling

extension VirtualClock: ConsumerMonitor {
  package func noteEntered(_ consumer: TickConsumer, name: String?) {
    update { $0.attendance.enter(.consumer(consumer), name: name) }
  }

  package func noteBusy(_ consumer: TickConsumer) {
    guard let task = TaskIdentity.current else { return }
    update { $0.attendance.noteBusy(.consumer(consumer), in: task) }
  }

  package func noteAsking(_ wait: WaitID, as consumer: TickConsumer?) {
    guard let task = TaskIdentity.current else { return }
    update { $0.attendance.noteAsking(wait, as: consumer.map { .consumer($0) }, in: task) }
  }

  package func noteWaiting(_ wait: WaitID) {
    update { $0.attendance.noteWaiting(wait) }
  }

  package func noteWoken(_ wait: WaitID) {
    update { $0.attendance.noteWoken(wait) }
  }

  package func noteLeft(_ consumer: TickConsumer) {
    update { $0.attendance.leave(.consumer(consumer)) }
  }

  package func noteFired(timer: UInt64) {
    update { $0.attendance.noteFired(timer: timer) }
  }

  package func noteWorkBegan() {
    update { $0.attendance.beginWork() }
  }

  package func noteWorkEnded() {
    update { $0.attendance.endWork() }
  }

  // MARK: Tasks of the clock's

  /// Runs an operation in a task that the clock waits for, as it does for an action.
  ///
  /// Until it has ended, the clock moves on only while it waits for the clock: for a tick, or in a sleep. So
  /// a test of code that sleeps needs nothing else.
  ///
  /// ```swift
  /// let clock = VirtualClock()
  /// let attempt = clock.task { try await fetchWithRetries(clock: clock) }
  /// await clock.advance(by: .seconds(7))
  /// let page = try await attempt.value
  /// ```
  ///
  /// - Parameter operation: What to run.
  /// - Returns: The task, which runs at once.
  @discardableResult
  public func task<Success: Sendable>(
    _ operation: @escaping @isolated(any) @Sendable () async throws -> Success
  ) -> Task<Success, any Error> {
    let attendee = update { state in
      let attendee = Attendance.Attendee.task(state.makeNumber())
      state.attendance.enter(attendee, name: nil)
      return attendee
    }
    return Task {
      if let task = TaskIdentity.current { update { $0.attendance.noteBusy(attendee, in: task) } }
      defer { update { $0.attendance.leave(attendee) } }
      return try await operation()
    }
  }
}
