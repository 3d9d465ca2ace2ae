#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension TimerScheduler {
  /// Waits for a duration.
  ///
  /// The sleep is a timer of the scheduler, which is freed at once if the task is cancelled. Sleeps whose tolerances
  /// overlap share a wakeup. A duration of zero or less ends at once, and one beyond 292 years never.
  ///
  /// ```swift
  /// try await scheduler.sleep(for: .seconds(30), tolerance: .seconds(1))
  /// ```
  ///
  /// - Parameters:
  ///   - duration: The time to wait, on a clock that stands still while the machine sleeps.
  ///   - tolerance: The longest delay of the wakeup, or nil for the scheduler's default.
  /// - Throws: `CancellationError` if the task is cancelled or the scheduler is shut down first.
  /// - Precondition: `tolerance` isn't negative.
  /// - Complexity: O(1).
  public nonisolated func sleep(for duration: Duration, tolerance: Duration? = nil) async throws {
    try await sleep(on: .after(max(duration, .zero)), tolerance, isDue: duration <= .zero)
  }

  /// Waits for a number of seconds.
  ///
  /// Works like ``sleep(for:tolerance:)-(Duration,_)``.
  ///
  /// - Precondition: `seconds` is finite, and `tolerance` isn't negative.
  @_disfavoredOverload
  public nonisolated func sleep(for seconds: TimeInterval, tolerance: Duration? = nil) async throws {
    try await sleep(for: .orStop(seconds: seconds), tolerance: tolerance)
  }

  /// Waits until a date on the wall clock, and follows the clock when it is set.
  ///
  /// Works like ``sleep(for:tolerance:)-(Duration,_)``. A date that has passed ends the sleep at once.
  ///
  /// - Precondition: `date` is a number, and `tolerance` isn't negative.
  public nonisolated func sleep(until date: Date, tolerance: Duration? = nil) async throws {
    let schedule = TimerSchedule.at(date)
    try await sleep(on: schedule, tolerance, isDue: Deadline(date) <= context.read().wall)
  }

  private nonisolated func sleep(on schedule: TimerSchedule, _ tolerance: Duration?, isDue: Bool) async throws
  {
    try Task.checkCancellation()
    let sleeper = context.makeTimer(
      on: schedule.modified(tolerance: tolerance), name: nil, lifetime: .stream, hold: TickListener.init)
    sleeper.noteSleep()
    // Where time stands still, no pass is made.
    if isDue { sleeper.entry.fireByHand() }
    // Without a tick the timer has ended: the task is cancelled, or the scheduler has shut down.
    if await sleeper.nextUnlessCancelled() == nil { throw CancellationError() }
  }
}
