import TestSupport

/// The operations of a run, with their frequencies.
struct QueueProfile: Sendable, CustomStringConvertible {
  var description: String
  /// Percentages of the operations; the others advance the time.
  var insertions = 50
  var removals = 12
  var reschedules = 12
  /// Percentage of the deadlines that are on the wall clock.
  var walls = 0
  /// Percentage of the elements that stay without a deadline when theirs is taken or replaced.
  var lingering = 0
  /// Percentage of the advances that set the time back.
  var setbacks = 0
  /// The bits of the distance from now to a new deadline.
  var reach = 0...40
  /// The bits of a tolerance, and the percentage of entries that have one.
  var tolerance = 0...30
  var tolerant = 0
  /// The bits of a step in time.
  var step = 0...32
  /// About how many entries live at once.
  var crowd = 500

  static let all = [
    QueueProfile(description: "exact"),
    QueueProfile(description: "tolerant", tolerant: 70),
    QueueProfile(description: "without removal", removals: 0, reschedules: 0, tolerant: 30),
    QueueProfile(
      description: "far and wide, without removal", removals: 0, reschedules: 0, reach: 0...62,
      tolerance: 0...62, tolerant: 10, step: 0...55),
    QueueProfile(description: "far and wide", reach: 0...62, tolerance: 0...62, tolerant: 10, step: 0...55),
    QueueProfile(
      description: "one slot", insertions: 80, removals: 5, reschedules: 5, reach: 0...20, tolerance: 0...14,
      tolerant: 30, step: 0...10, crowd: size(1_000, full: 5_000)),
    QueueProfile(description: "mostly removed", removals: 30, reschedules: 15, reach: 10...34, crowd: 1_000),
    QueueProfile(description: "time goes back", setbacks: 25, tolerant: 30),
    QueueProfile(
      description: "two clocks", insertions: 25, removals: 10, reschedules: 35, walls: 50, lingering: 30,
      setbacks: 5, tolerance: 0...35, tolerant: 20, step: 0...34, crowd: 80),
  ]
}
