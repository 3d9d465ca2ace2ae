import Foundation
import TestSupport
import Testing
import TimerScheduling

@Suite(.guarantee("G37")) struct RuleQueryTests {
  private static func date(_ seconds: Double) -> Date { Date(timeIntervalSinceReferenceDate: seconds) }

  private func ask(
    _ rule: some TickRule, last: Double, now: Double, _ behavior: MissedTickBehavior = .skip
  ) -> RuleQuery.Answer {
    let dates = RuleDates(of: rule, after: Self.date(last))
    return dates.query(at: Deadline(Self.date(now)), missedTicks: behavior).ask()
  }

  private func answer(_ newest: Double, passed: Int = 0, next: Double?) -> RuleQuery.Answer {
    RuleQuery.Answer(newest: Self.date(newest), passed: passed, next: next.map(Self.date))
  }

  @Test func `In time, the rule is asked for the date after the last`() {
    #expect(ask(EverySeconds(10), last: 20, now: 21) == answer(20, next: 30))
  }

  @Test func `Dates that have passed are counted and skipped`() {
    #expect(ask(EverySeconds(10), last: 20, now: 57) == answer(50, passed: 3, next: 60))
    #expect(ask(EverySeconds(10), last: 20, now: 30, .delay) == answer(30, passed: 1, next: 40))
  }

  @Test func `In a burst no date is skipped`() {
    #expect(ask(EverySeconds(10), last: 20, now: 57, .burst) == answer(20, next: 30))
  }

  @Test func `A clock set back has the rule asked from the new time, without repeating the last date`() {
    #expect(ask(EverySeconds(10), last: 500, now: 103) == answer(500, next: 110))
    #expect(ask(EverySeconds(10), last: 500, now: 495) == answer(500, next: 510))
  }

  @Test func `A rule that gives nil, the same date or one in the past has ended`() {
    #expect(ask(Answering { _ in nil }, last: 20, now: 21) == answer(20, next: nil))
    #expect(ask(Answering { $0 }, last: 20, now: 21) == answer(20, next: nil))
    #expect(ask(Answering { $0 - 5 }, last: 20, now: 21) == answer(20, next: nil))
    let notANumber = Date(timeIntervalSinceReferenceDate: .nan)
    #expect(ask(Answering { _ in notANumber }, last: 20, now: 21) == answer(20, next: nil))
  }

  @Test func `A rule of countless dates is asked a bounded number of times`() {
    let given = ask(EverySeconds(0.25), last: 0, now: 1e6)
    #expect(given.passed == 10_000)
    #expect(given.next.map { $0 > Self.date(1e6) } == true)
  }
}
