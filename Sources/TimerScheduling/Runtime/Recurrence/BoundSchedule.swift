/// A schedule bound to the clocks, with everything its timer needs.
package struct BoundSchedule: Sendable {
  let recurrence: Recurrence
  let missedTicks: MissedTickBehavior
  let limit: Int64
  let tolerance: Interval
  /// The reading of both clocks, if the schedule was bound to the wall clock.
  let reading: ClockReading?
  /// The schedule with its tolerance, for a timer that keeps it. Nil for a single deadline.
  let schedule: TimerSchedule?
  /// The delay of a schedule that is one, or zero.
  let delay: Interval

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
    delay = if case .once(let delay) = schedule.cadence { delay } else { .zero }
    if limit == .max, recurrence.plainDeadline != nil {
      self.schedule = nil
    } else {
      var schedule = schedule
      schedule.options.tolerance = tolerance > .zero ? tolerance : nil
      self.schedule = schedule
    }
  }

  /// The schedule with its tolerance, for a timer that keeps only its deadline. Nil if there are more.
  var single: TimerSchedule? {
    recurrence.plainDeadline.map { deadline in
      TimerSchedule(
        single: deadline, on: recurrence.timeline, after: delay, missedTicks: missedTicks,
        tolerance: tolerance)
    }
  }
}

extension TimerSchedule {
  /// Creates the schedule of a single deadline: a date on the wall clock, or the end of a delay.
  init(
    single deadline: Deadline, on timeline: Timeline, after delay: Interval, missedTicks: MissedTickBehavior,
    tolerance: Interval
  ) {
    self.init(cadence: timeline == .wall ? .onceAt(deadline.date) : .once(after: delay))
    options.missedTicks = missedTicks
    options.tolerance = tolerance > .zero ? tolerance : nil
  }
}
