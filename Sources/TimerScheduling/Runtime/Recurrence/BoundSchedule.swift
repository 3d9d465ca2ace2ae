/// A schedule bound to the clocks, with everything its timer needs.
package struct BoundSchedule: Sendable {
  let recurrence: Recurrence
  let missedTicks: MissedTickBehavior
  let limit: Int64
  let tolerance: Interval
  /// The reading of both clocks, if the schedule was bound to both.
  let reading: ClockReading?

  /// Binds `schedule` to the clocks. A rule is asked for its first date on the caller's thread.
  package init(
    _ schedule: TimerSchedule, defaultTolerance: Interval, jitterSeed: UInt64, at reading: ClockReading
  ) {
    if let bound = BoundSchedule(schedule, defaultTolerance: defaultTolerance, at: reading.monotonic) {
      self = bound
      return
    }
    let recurrence = FullRecurrence(
      DeadlineSequence(schedule.cadence, at: reading), options: schedule.options, jitterSeed: jitterSeed)
    self.init(schedule, .full(Recurrence.Box(recurrence)), defaultTolerance, at: reading)
  }

  /// Binds `schedule` to the clocks, given only the monotonic one. Returns nil if it needs both.
  init?(_ schedule: TimerSchedule, defaultTolerance: Interval, at now: Deadline) {
    guard let recurrence = Recurrence(schedule, at: now) else { return nil }
    self.init(schedule, recurrence, defaultTolerance, at: nil)
  }

  private init(
    _ schedule: TimerSchedule, _ recurrence: Recurrence, _ defaultTolerance: Interval,
    at reading: ClockReading?
  ) {
    self.recurrence = recurrence
    self.reading = reading
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
    case .every(_, .at), .every(_, .aligned), .countdown, .rule: return nil
    }
  }
}
