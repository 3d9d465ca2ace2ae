/// Says when to look at all timers again.
///
/// A look takes a time that grows with the number of timers, some 50 ms for 100,000. So the longer looks
/// take, the fewer are made: for at most a tenth of the time of one processor. On a busy machine a look takes
/// long though it works little, so one is made every half a minute at least.
package struct LookBudget: Sendable {
  private static let share = 10
  private static let longestPause = Duration.seconds(30)
  private var nextLook = Duration.zero

  package init() {}

  package func allowsLook(at time: Duration) -> Bool { time >= nextLook }

  package mutating func noteLook(from start: Duration, to end: Duration) {
    nextLook = max(start + min((end - start) * Self.share, Self.longestPause), end)
  }
}
