/// A schedule bound to the clocks, with everything its timer needs.
package struct BoundSchedule: Sendable {
  let timeline: Timeline
  let simple: SimpleRecurrence
  /// A recurrence that isn't simple, used in place of `simple`.
  let recurrence: Recurrence.Box?
  let missedTicks: MissedTickBehavior
  let limit: Int64
  let tolerance: Interval
  /// The reading of both clocks, for a recurrence that isn't simple.
  let reading: ClockReading?

  /// Binds `schedule` to the clocks. A rule is asked for its first date on the caller's thread.
  package init(
    _ schedule: TimerSchedule, defaultTolerance: Interval, jitterSeed: UInt64, at reading: ClockReading
  ) {
    if let simple = BoundSchedule(
      simple: schedule, defaultTolerance: defaultTolerance, at: reading.monotonic)
    {
      self = simple
      return
    }
    let sequence = DeadlineSequence(schedule.cadence, at: reading)
    let recurrence = Recurrence(sequence, options: schedule.options, jitterSeed: jitterSeed)
    self.init(
      schedule, .passed, Recurrence.Box(recurrence), interval: sequence.interval, defaultTolerance,
      at: reading)
  }

  /// Binds a schedule with a simple recurrence to the clocks, given only the monotonic one. Returns nil for any
  /// other.
  init?(simple schedule: TimerSchedule, defaultTolerance: Interval, at now: Deadline) {
    guard schedule.options.until == nil, schedule.options.jitter == .zero,
      let simple = SimpleRecurrence(schedule.cadence, at: now)
    else { return nil }
    self.init(schedule, simple, nil, interval: simple.interval, defaultTolerance, at: nil)
  }

  private init(
    _ schedule: TimerSchedule, _ simple: SimpleRecurrence, _ recurrence: Recurrence.Box?,
    interval: Interval?, _ defaultTolerance: Interval, at reading: ClockReading?
  ) {
    self.reading = reading
    timeline = schedule.cadence.timeline
    self.simple = simple
    self.recurrence = recurrence
    missedTicks = schedule.options.missedTicks
    limit = schedule.options.limit.map { Int64($0) } ?? .max
    // With a tolerance of more than half the interval, one late tick would make the next one missed.
    let most = interval.map { Interval(nanoseconds: $0.nanoseconds / 2) } ?? .max
    tolerance = min(schedule.options.tolerance ?? defaultTolerance, most)
  }
}
