import TimerScheduling

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

// None of these runs on the caller's actor, as they wait for schedulers, which are actors.
extension VirtualClock {
  /// Moves the clock on, from deadline to deadline.
  ///
  /// Returns when every tick due was delivered and its consumers have settled. The monotonic and the wall clock
  /// move together. Calls from several tasks take turns: one that a consumer makes begins when the one under
  /// way has ended. If the calling task is cancelled, the clock stops where it is, also between two deliveries at one
  /// moment. What is due by then is delivered by the next call. A task that was cancelled before doesn't move the clock.
  ///
  /// At one moment, schedulers come in the order in which they were made, and sleeps after them. Between the timers of one
  /// scheduler no order is promised, as their consumers are tasks of their own.
  ///
  /// - Parameter duration: By how much to move. With zero, what is due by now is delivered.
  /// - Precondition: `duration` isn't negative.
  @concurrent
  public func advance(by duration: Duration) async {
    precondition(duration >= .zero, "A clock advances by zero or more, but \(duration) was given.")
    await move { $0.monotonic + Interval(duration) }
  }

  /// Moves the clock on until the wall clock shows a date, as ``advance(by:)`` does.
  ///
  /// If it shows that date or a later one already, what is due by now is delivered.
  @concurrent
  public func advance(to date: Date) async {
    await move { $0.monotonic + (Deadline(date) - $0.wall) }
  }

  /// Moves the clock on until there is nothing to wait for, no timer and no sleep.
  ///
  /// Timers that repeat, and are listened to, always wait for something. So do those of owners, whose scheduler looks
  /// from time to time whether they live.
  ///
  /// - Parameter limit: By how much to move at most.
  /// - Returns: Whether there is nothing to wait for. The clock then shows the time of the last deadline.
  /// - Precondition: `limit` isn't negative.
  @concurrent
  @discardableResult
  public func runUntilIdle(limit: Duration = .seconds(86_400)) async -> Bool {
    precondition(limit >= .zero, "A clock runs for zero or more, but \(limit) was given.")
    return await move(stoppingWhenIdle: true) { $0.monotonic + Interval(limit) }
  }

  /// Lets time pass without a wakeup, as while a process is stopped, and then delivers what has become due.
  ///
  /// Does nothing in a task that was cancelled before.
  ///
  /// - Precondition: `duration` isn't negative.
  @concurrent
  public func stall(for duration: Duration) async {
    precondition(duration >= .zero, "A clock stalls for zero or more, but \(duration) was given.")
    await move(first: { $0.pass(Interval(duration)) }, until: \.monotonic)
  }

  /// Sets the wall clock, forward or back, while the monotonic clock stands still.
  ///
  /// What becomes due by it is delivered. As on a real machine, a scheduler notices that its clock was set back
  /// when it next looks at it. Does nothing in a task that was cancelled before.
  @concurrent
  public func setWallClock(to date: Date) async {
    await move(first: { $0.setWallClock(to: date) }, until: \.monotonic)
  }

  /// Has everybody settle, changes the time by `change`, and goes from deadline to deadline until `target`.
  ///
  /// Returns whether there is nothing to wait for any more.
  @discardableResult
  private func move(
    stoppingWhenIdle: Bool = false, first change: @Sendable (inout VirtualTime) -> Void = { _ in },
    until target: @Sendable (ClockReading) -> Deadline
  ) async -> Bool {
    await takeTurn()
    await settle()
    let target = core.state.withLock { state in
      if !Task.isCancelled { change(&state.time) }
      return target(state.time.now)
    }
    while !Task.isCancelled, step(until: target, stoppingWhenIdle) {
      // One scheduler after the other, so that their consumers don't race.
      // Actions may make timers that are due at once, again and again.
      while !Task.isCancelled, let wakeup = core.state.withLock({ $0.time.takeDueWakeup() }) {
        wakeup.deliver()
        await settle()
      }
      while let sleep = core.state.withLock({ $0.time.takeDueSleep() }) { wake(sleep) }
      await settle()
      for sleep in core.state.withLock({ $0.time.takeLast() }) { wake(sleep) }
      await settle()
    }
    let isIdle = core.state.withLock { $0.time.isIdle }
    passTurn()
    return isIdle
  }

  private func step(until target: Deadline, _ stoppingWhenIdle: Bool) -> Bool {
    core.state.withLock { state in
      !(stoppingWhenIdle && state.time.isIdle) && state.time.moveToNextMoment(until: target)
    }
  }

  // MARK: Turns

  /// Waits until nobody else moves the clock. The task counts as waiting for the clock from now on.
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
