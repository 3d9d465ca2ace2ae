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
    switch consumer {
    case .listener: update { $0.attendance.leave(.consumer(consumer)) }
    case .run:
      let task = TaskIdentity.current
      update { $0.attendance.end(.consumer(consumer), in: task) }
    }
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

  // MARK: Tasks

  /// Runs an operation in a task that the clock waits for, as it does for an action.
  ///
  /// Until the operation has ended, the clock moves on only while it waits for the clock: for a tick, or in a sleep.
  /// Of a plain task nobody can know when it has ended, nor whether it has something to do after a loop.
  ///
  /// ```swift
  /// let clock = VirtualClock()
  /// let attempt = clock.addTask { try await fetchWithRetries(clock: clock) }
  /// await clock.advance(by: .seconds(7))
  /// let page = try await attempt.value
  /// ```
  ///
  /// - Parameter operation: What to run, on its own isolation: that of the main actor for a closure marked so.
  /// - Returns: The task, which runs at once. An error it throws is its value's.
  @discardableResult
  public func addTask<Success: Sendable>(
    _ operation: @escaping @isolated(any) @Sendable () async throws -> Success
  ) -> Task<Success, any Error> {
    let attendee = enterTask()
    return Task {
      let task = begin(attendee)
      defer { end(attendee, in: task) }
      return try await operation()
    }
  }

  /// Runs an operation that doesn't throw in a task that the clock waits for.
  ///
  /// - Parameter operation: What to run, on its own isolation.
  /// - Returns: The task, which runs at once.
  @discardableResult
  public func addTask<Success: Sendable>(
    _ operation: @escaping @isolated(any) @Sendable () async -> Success
  ) -> Task<Success, Never> {
    let attendee = enterTask()
    return Task {
      let task = begin(attendee)
      defer { end(attendee, in: task) }
      return await operation()
    }
  }

  private func enterTask() -> Attendance.Attendee {
    update { state in
      let attendee = Attendance.Attendee.task(state.makeNumber())
      state.attendance.enter(attendee, name: nil)
      return attendee
    }
  }

  private func begin(_ attendee: Attendance.Attendee) -> TaskIdentity? {
    let task = TaskIdentity.current
    if let task { update { $0.attendance.noteBusy(attendee, in: task) } }
    return task
  }

  private func end(_ attendee: Attendance.Attendee, in task: TaskIdentity?) {
    update { $0.attendance.end(attendee, in: task) }
  }
}
