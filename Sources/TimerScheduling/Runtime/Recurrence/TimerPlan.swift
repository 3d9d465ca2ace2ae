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
    tolerance = Self.tolerance(options.tolerance ?? defaultTolerance, forInterval: timetable.interval)
  }

  /// A plan without limits, for a tolerance that fits the interval.
  init(_ timetable: Timetable, missedTicks: MissedTickBehavior, tolerance: Interval) {
    agenda = Agenda(timetable, options: TimerSchedule.Options(), jitterSeed: 0)
    self.missedTicks = missedTicks
    limit = .max
    self.tolerance = tolerance
  }

  /// A tolerance that isn't too long. With more than half the interval, one late tick would make the next one
  /// missed.
  static func tolerance(_ tolerance: Interval, forInterval interval: Interval?) -> Interval {
    min(tolerance, interval.map { Interval(nanoseconds: $0.nanoseconds / 2) } ?? .max)
  }
}
