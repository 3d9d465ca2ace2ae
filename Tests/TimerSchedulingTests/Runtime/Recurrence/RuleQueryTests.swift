import Foundation
import TestSupport
import Testing
import TimerScheduling

@Suite(.guarantee("G38")) struct RuleQueryTests {
  private func answer(
    of rule: some TickRule, last: Double, now: Double, _ behavior: MissedTickBehavior = .skip
  ) -> RuleQuery.Answer {
    let dates = RuleDates(of: rule, after: Workbench.date(last))
    return dates.query(at: Deadline(Workbench.date(now)), missedTicks: behavior).ask()
  }

  @Test(
    arguments: [
      (20, 21, .skip, 20, 0, 30),
      // Dates that have passed are counted and skipped, though not in a burst.
      (20, 57, .skip, 50, 3, 60), (20, 30, .delay, 30, 1, 40), (20, 57, .burst, 20, 0, 30),
      // A clock that was set back doesn't repeat the last date.
      (500, 103, .skip, 500, 0, 110), (500, 495, .skip, 500, 0, 510),
    ] as [(Double, Double, MissedTickBehavior, Double, Int, Double)])
  func `A rule is asked for the date after the last and after the clock's`(
    last: Double, now: Double, behavior: MissedTickBehavior, newest: Double, passed: Int, next: Double
  ) {
    let answer = answer(of: EverySeconds(10), last: last, now: now, behavior)
    #expect(answer.newest == Workbench.date(newest) && answer.next == Workbench.date(next))
    #expect(answer.passed == passed)
  }

  @Test(arguments: [nil, 20, 15, .nan] as [Double?])
  func `A rule that gives nil, the same date, one in the past or no number has ended`(given: Double?) {
    let rule = Answering { _ in given.map { Workbench.date($0) } }
    let answer = answer(of: rule, last: 20, now: 21)
    #expect(answer.newest == Workbench.date(20) && answer.passed == 0 && answer.next == nil)
  }

  @Test func `A rule of countless dates is asked a bounded number of times`() {
    let given = answer(of: EverySeconds(0.25), last: 0, now: 1e6)
    #expect(given.passed == 10_000)
    #expect(given.next.map { $0 > Workbench.date(1e6) } == true)
  }
}
