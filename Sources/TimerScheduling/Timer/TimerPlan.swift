/// A schedule bound to the clocks, with everything a timer has to know of it.
package struct TimerPlan: Sendable {
  let agenda: Agenda
  let missedTicks: MissedTickBehavior
  let limit: Int64
  let tolerance: Interval

  /// Binds `schedule` to the clocks. A rule is asked for its first date, on the caller's thread.
  package init(
    _ schedule: TimerSchedule, defaultTolerance: Interval, jitterSeed: UInt64, at reading: ClockReading
  ) {
    let timetable = Timetable(schedule.cadence, at: reading)
    let options = schedule.options
    agenda = Agenda(timetable, options: options, jitterSeed: jitterSeed)
    missedTicks = options.missedTicks
    limit = options.limit.map { Int64($0) } ?? .max
    // With more than half the interval, one late tick would make the next one missed.
    let longest = timetable.interval.map { Interval(nanoseconds: $0.nanoseconds / 2) } ?? .max
    tolerance = min(options.tolerance ?? defaultTolerance, longest)
  }
}
