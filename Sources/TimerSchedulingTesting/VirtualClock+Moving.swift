import TimerScheduling

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

// None of these methods runs on the caller's actor, as they wait for schedulers, which are actors.
extension VirtualClock {
  /// Moves the clock forward, from deadline to deadline.
  ///
  /// Returns when every due tick was delivered and its consumers have settled. The monotonic and the wall clock move
  /// together. Calls from several tasks take turns: a call made by a consumer begins when the one under way has
  /// ended. If the calling task is cancelled, the clock stops at its present moment, even between two deliveries of
  /// that moment; the next call delivers the rest. A call in a task that was already cancelled doesn't move the
  /// clock.
  ///
  /// At one moment, schedulers fire in the order in which they were made, and sleeps end after them. Between the
  /// timers of one scheduler no order is promised, as their consumers are tasks of their own. A timer that is due as
  /// soon as it is made fires in the next call.
  ///
  /// - Parameter duration: The distance to move. Zero delivers what is due by now.
  /// - Precondition: `duration` isn't negative.
  @concurrent
  public func advance(by duration: Duration) async {
    precondition(duration >= .zero, "A clock advances by zero or more, but \(duration) was given.")
    await move { $0.monotonic + Interval(duration) }
  }

  /// Moves the clock forward by a number of seconds, as ``advance(by:)-(Duration)`` does.
  ///
  /// - Precondition: `seconds` is finite and isn't negative.
  @_disfavoredOverload
  @concurrent
  public func advance(by seconds: TimeInterval) async {
    await advance(by: .orStop(seconds: seconds))
  }

  /// Moves the clock forward until the wall clock shows a date, as ``advance(by:)-(Duration)`` does.
  ///
  /// If the wall clock already shows that date or a later one, this delivers what is due by now.
  ///
  /// - Precondition: `date` is a number.
  @concurrent
  public func advance(to date: Date) async {
    let deadline = Deadline(orStop: date)
    await move { $0.monotonic + max(deadline - $0.wall, .zero) }
  }

  /// Moves the clock forward until no timer and no sleep is left to wait for.
  ///
  /// A repeating timer with a listener always has a next deadline, so the clock doesn't become idle.
  ///
  /// - Parameter limit: The longest distance to move.
  /// - Returns: Whether nothing is left to wait for. The clock then shows the time of the last deadline.
  /// - Precondition: `limit` isn't negative.
  @concurrent
  @discardableResult
  public func runUntilIdle(limit: Duration = .seconds(86_400)) async -> Bool {
    precondition(limit >= .zero, "A clock runs for zero or more, but \(limit) was given.")
    return await move(stoppingWhenIdle: true) { $0.monotonic + Interval(limit) }
  }

  /// Lets time pass without a wakeup, as if the process were stopped, and then delivers what has become due.
  ///
  /// Does nothing in a task that was already cancelled.
  ///
  /// - Precondition: `duration` isn't negative.
  @concurrent
  public func stall(for duration: Duration) async {
    precondition(duration >= .zero, "A clock stalls for zero or more, but \(duration) was given.")
    await move(first: { $0.pass(Interval(duration)) }, until: \.monotonic)
  }

  /// Sets the wall clock, forward or back, while the monotonic clock stands still.
  ///
  /// Delivers what becomes due by the change. As on a real machine, a scheduler notices a clock that was set back
  /// when it next reads it. Does nothing in a task that was already cancelled.
  ///
  /// - Precondition: `date` is a number.
  @concurrent
  public func setWallClock(to date: Date) async {
    await move(first: { $0.setWallClock(to: date) }, until: \.monotonic)
  }

  /// Waits until all tasks have settled, changes the time by `change`, and goes from deadline to deadline until
  /// `target`.
  ///
  /// Returns whether nothing is left to wait for.
  @discardableResult
  private func move(
    stoppingWhenIdle: Bool = false, first change: @Sendable (inout VirtualTime) -> Void = { _ in },
    until target: @Sendable (ClockReading) -> Deadline
  ) async -> Bool {
    await takeTurn()
    core.state.withLock { $0.verifiedNoteCount = nil }
    await settle()
    core.lookForOrphans()
    let target = await betweenChanges { time in
      if !Task.isCancelled { change(&time) }
      return target(time.now)
    }
    while !Task.isCancelled, await step(until: target, stoppingWhenIdle) {
      // Schedulers are woken one after the other, so that their consumers don't race. Actions may keep making timers
      // that are due at once, hence the check for cancellation.
      while !Task.isCancelled, let wakeup = core.state.withLock({ $0.time.takeDueWakeup() }) {
        wakeup.deliver()
        await settle()
      }
      while let sleep = core.state.withLock({ $0.time.takeDueSleep() }) { wake(sleep) }
      await settle()
      for sleep in core.state.withLock({ $0.time.takeLast() }) { wake(sleep) }
      await settle()
      core.lookForOrphans()
    }
    let isIdle = core.state.withLock { $0.time.isIdle }
    passTurn()
    return isIdle
  }

  private func step(until target: Deadline, _ stoppingWhenIdle: Bool) async -> Bool {
    await betweenChanges { !(stoppingWhenIdle && $0.isIdle) && $0.moveToNextMoment(until: target) }
  }

  /// Changes the time while no timer is changed. A timer that a task has filed for a reading of the clock is thus
  /// found due by the next step, whether the clock waits for that task or not.
  private func betweenChanges<Result: Sendable>(_ body: (inout VirtualTime) -> Result) async -> Result {
    while true {
      let result = core.state.withLock { state in state.changeCount == 0 ? body(&state.time) : nil }
      if let result { return result }
      // A change takes microseconds, as nothing of the user's runs in it.
      await Task.yield()
    }
  }

  // MARK: Turns

  /// Waits until no other task moves the clock. From now on the calling task counts as waiting for the clock.
  private func takeTurn() async {
    let task = TaskIdentity.current
    await withCheckedContinuation { continuation in
      let isFree = core.update { state in
        if let task { state.attendance.beginWait(of: task) }
        guard state.isMoving else {
          state.isMoving = true
          return true
        }
        state.turns.append(continuation)
        return false
      }
      if isFree { continuation.resume() }
    }
  }

  private func passTurn() {
    let task = TaskIdentity.current
    let next = core.update { state in
      if let task { state.attendance.endWait(of: task) }
      guard !state.turns.isEmpty else {
        state.isMoving = false
        return CheckedContinuation<Void, Never>?.none
      }
      return state.turns.removeFirst()
    }
    next?.resume()
  }
}
