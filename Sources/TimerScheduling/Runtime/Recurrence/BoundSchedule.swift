/// A schedule bound to the clocks, with everything its timer needs.
package struct BoundSchedule: Sendable {
  let recurrence: Recurrence
  let missedTicks: MissedTickBehavior
  let limit: Int64
  let tolerance: Interval
  /// The reading of both clocks, if the schedule was bound to both.
  let reading: ClockReading?

  /// Binds `schedule` to the clocks. A rule is asked for its first date on the caller's thread.
  ///
  /// `now` is the time of the monotonic clock. Most schedules need no more.
  package init(
    _ schedule: TimerSchedule, defaultTolerance: Interval, jitterSeed: @autoclosure () -> UInt64,
    at now: Deadline, reading both: @autoclosure () -> ClockReading
  ) {
    if let short = Recurrence(schedule, at: now) {
      recurrence = short
      reading = nil
    } else {
      let both = both()
      recurrence = .full(Recurrence.Box(FullRecurrence(schedule, jitterSeed: jitterSeed(), at: both)))
      reading = both
    }
    missedTicks = schedule.options.missedTicks
    limit = schedule.options.limit.map { Int64($0) } ?? .max
    // With a tolerance of more than half the interval, one late tick would make the next one missed.
    let most = recurrence.interval.map { Interval(nanoseconds: $0.nanoseconds / 2) } ?? .max
    tolerance = min(schedule.options.tolerance ?? defaultTolerance, most)
  }
}

extension Recurrence {
  /// Binds a schedule to the clocks. Returns nil if it needs an object.
  fileprivate init?(_ schedule: TimerSchedule, at now: Deadline) {
    guard schedule.options.until == nil, schedule.options.jitter == .zero else { return nil }
    switch schedule.cadence {
    case .once(let delay): self = .once(now + delay, on: .monotonic)
    case .onceAt(let date): self = .once(Deadline(date), on: .wall)
    case .every(let interval, .afterInterval): self = .every(interval, next: now + interval)
    case .every(let interval, .immediately): self = .every(interval, next: now)
    case .every(let interval, .after(let delay)): self = .every(interval, next: now + Interval(delay))
    case .every(_, .at), .every(_, .aligned), .countdown, .countdownUntil, .rule: return nil
    }
  }
}
