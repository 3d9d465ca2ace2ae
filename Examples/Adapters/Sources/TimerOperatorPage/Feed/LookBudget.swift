/// Says when to look at all timers again.
///
/// To look takes a time that grows with the number of timers, some 50 ms for 100,000. So it is done less often the longer
/// it takes: for at most a tenth of the time of one processor.
package struct LookBudget: Sendable {
  private static let share = 10
  private var nextLook = Duration.zero

  package init() {}

  package func allowsLook(at time: Duration) -> Bool { time >= nextLook }

  package mutating func noteLook(from start: Duration, to end: Duration) {
    nextLook = start + (end - start) * Self.share
  }
}
