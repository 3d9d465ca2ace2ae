/// Says when to look at all timers again.
///
/// To look takes the scheduler a time that grows with the number of its timers, a third of a second for a million, in
/// which nothing ticks. So it is done less often the longer it takes: for at most a twentieth of the time.
package struct LookBudget {
  private static let share = 20
  private var nextLook = Duration.zero

  package init() {}

  package func allowsLook(at time: Duration) -> Bool { time >= nextLook }

  package mutating func noteLook(from start: Duration, to end: Duration) {
    nextLook = start + (end - start) * Self.share
  }
}
