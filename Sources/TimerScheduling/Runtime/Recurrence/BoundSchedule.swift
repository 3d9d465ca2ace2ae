/// A schedule bound to the clocks, with everything its timer needs.
package struct BoundSchedule: Sendable {
  let recurrence: Recurrence
  let missedTicks: MissedTickBehavior
  let limit: Int64
  let tolerance: Interval
  /// The reading of both clocks, if the schedule was bound to the wall clock.
  let reading: ClockReading?
  /// The schedule with its tolerance, for a timer that keeps it. Nil for a delay.
  let schedule: TimerSchedule?

  /// Binds `schedule` to the clocks. A rule is asked for its first date on the caller's thread.
  ///
  /// `now` is the time of the monotonic clock. Most schedules need no more.
  package init(
    _ schedule: TimerSchedule, defaultTolerance: Interval, jitterSeed: @autoclosure () -> UInt64,
    at now: Deadline, reading both: @autoclosure () -> ClockReading
  ) {
    var reading: ClockReading?
    recurrence = Recurrence(schedule, jitterSeed: jitterSeed(), at: now) {
      let both = both()
      reading = both
      return both
    }
    self.reading = reading
    missedTicks = schedule.options.missedTicks
    limit = schedule.options.limit.map { Int64($0) } ?? .max
    // With a tolerance of more than half the interval, one late tick would make the next one missed.
    let most = recurrence.interval.map { Interval(nanoseconds: $0.nanoseconds / 2) } ?? .max
    tolerance = min(schedule.options.tolerance ?? defaultTolerance, most)
    if limit == .max, recurrence.plainDeadline != nil {
      self.schedule = nil
    } else if case .once = schedule.cadence {
      self.schedule = nil
    } else {
      var schedule = schedule
      schedule.options.tolerance = tolerance > .zero ? tolerance : nil
      self.schedule = schedule
    }
  }
}
