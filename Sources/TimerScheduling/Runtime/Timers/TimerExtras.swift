/// The parts of a timer's state that a timer doesn't have while it only waits for its first deadline.
///
/// It belongs to one timer and is guarded by that timer's lock, so accesses never overlap.
package final class TimerExtras {
  @safe @exclusivity(unchecked) var ledger: TickLedger
  /// The number of ticks at which the timer ends. Ticks with this index or a higher one aren't taken.
  @safe @exclusivity(unchecked) var indexLimit = Int64.max

  /// A tolerance that isn't short.
  @safe @exclusivity(unchecked) var tolerance: Interval?
  // Properties that need less than a word lie in the padding of the one before.
  /// Under `.delay`, whether a deadline has passed whose tick no listener has taken.
  @safe @exclusivity(unchecked) var hasUntakenDeadline = false
  /// The next two are the reasons for which the timer is paused.
  @safe @exclusivity(unchecked) var isPausedByCall = false
  @safe @exclusivity(unchecked) var pausingScopeCount: Int32 = 0
  /// Under `.delay`, the moment up to which the tick of the newest deadline keeps the cadence. It is
  /// ``Deadline/past`` after missed deadlines, and nil once that tick was taken or has fired for a waiting task.
  @safe @exclusivity(unchecked) var latest: Deadline?
  /// The number of the last inquiry.
  @safe @exclusivity(unchecked) var inquiry: UInt32 = 0
  /// The moment at which the timer was resumed, on its own clock, if the deadline it waits for had passed by then.
  @safe @exclusivity(unchecked) var resumed = Deadline.past
  /// The reading at which the present pause or inquiry began.
  @safe @exclusivity(unchecked) var since = ClockReading(monotonic: .past, wall: .past)

  /// The cursor of the first consumer, if it has gone beyond the first tick.
  @safe @exclusivity(unchecked) var cursor = TickCursor.start
  /// Tasks of the first listener that wait besides the one that the timer itself keeps.
  @safe @exclusivity(unchecked) var tasks: [WaitingTask] = []
  /// The other listeners.
  @safe @exclusivity(unchecked) var listeners: Listeners?

  /// The number of runs of the action after the first.
  @safe @exclusivity(unchecked) var laterRunCount: UInt64 = 0
  /// The last error that the action threw, and the number of errors.
  @safe @exclusivity(unchecked) var failure: (any Error)?
  @safe @exclusivity(unchecked) var failureCount = 0

  /// Tasks that wait for the timer's end, which they may give up, and tasks that also wait for a running action.
  @safe @exclusivity(unchecked) var endWaiters = WaitList<CancellableWait>()
  @safe @exclusivity(unchecked) var quietWaiters: [WaitingTask] = []

  init(_ ledger: TickLedger) { self.ledger = ledger }
}
