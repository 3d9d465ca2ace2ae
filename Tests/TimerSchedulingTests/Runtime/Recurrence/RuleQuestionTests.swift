import Foundation
import TestSupport
import Testing
import TimerScheduling

@Suite(.guarantee("G38")) struct RuleQuestionTests {
  private func dates(of rule: some TickRule, last: Double) -> RuleDates {
    RuleDates(of: rule, after: Workbench.date(last))
  }

  private func ask(_ dates: RuleDates, now: Double, _ behavior: MissedTickBehavior = .skip)
    -> RuleQuestion.Answer
  {
    dates.question(at: Deadline(Workbench.date(now)), missedTicks: behavior).ask()
  }

  // Found by the fuzzer.
  @Test(.limited) func `A date beyond the clock's end never comes, also with a tolerance`() throws {
    struct Beyond: TickRule {
      func nextTick(after date: Date) -> Date? { date + 1e247 }
    }
    let end = ClockReading(monotonic: .never, wall: .never)
    let schedule = TimerSchedule.rule(Beyond()).tolerance(.seconds(1))
    let recurrence = Recurrence(schedule, jitterSeed: 1, at: .never) { end }
    let question = try #require(recurrence.question(at: end, missedTicks: .skip))
    #expect(question.ask().passed == 0)
  }

  @Test(
    arguments: [
      (20, 21, .skip, nil, 0, 30),
      // Dates that have passed are counted and skipped, though not in a burst.
      (20, 57, .skip, 50, 3, 60), (20, 30, .delay, 30, 1, 40), (20, 57, .burst, nil, 0, 30),
    ] as [(Double, Double, MissedTickBehavior, Double?, Int, Double)])
  func `A rule is asked for the date after the last and after the clock's`(
    last: Double, now: Double, behavior: MissedTickBehavior, newest: Double?, passed: Int, next: Double
  ) {
    let answer = ask(dates(of: EverySeconds(10), last: last), now: now, behavior)
    #expect(answer.newest == newest.map { Workbench.date($0) } && answer.next == Workbench.date(next))
    #expect(answer.passed == passed)
  }

  // dates before  30 40 50 | 60      dates after the clock was set back at 57:  ... 20 30 40
  @Test(
    arguments: [
      // The date at 30 has been served. Those up to 57 passed by the old time, and those up to now by the new
      // one.
      (17, 17, 2, 50, 20), (17, 25, 3, 20, 30), (17, 47, 5, 40, 50), (33, 36, 2, 50, 40), (45, 47, 2, 50, 60),
    ] as [(Double, Double, Int, Double, Double)])
  func `A clock that was set back has passed the dates before and has those after, the last one once`(
    setTo: Double, now: Double, passed: Int, newest: Double, next: Double
  ) {
    var dates = dates(of: EverySeconds(10), last: 20)
    dates.pass()
    dates.jump(from: Deadline(Workbench.date(57)), to: Deadline(Workbench.date(setTo)), isSetBack: true)
    let answer = ask(dates, now: now)
    #expect(answer.passed == passed)
    #expect(answer.newest == Workbench.date(newest) && answer.next == Workbench.date(next))
  }

  // The clock is set back at 37 and at 15, and 40 seconds are left out in a pause between the two.
  @Test(arguments: [(16, 2, 20, 1), (47, 4, 40, 0)] as [(Double, Int, Double, Int)])
  func `An answer says how often the clock was set back after its newest date`(
    now: Double, passed: Int, newest: Double, setBackCount: Int
  ) {
    var dates = dates(of: EverySeconds(10), last: 20)
    dates.jump(from: Deadline(Workbench.date(37)), to: Deadline(Workbench.date(-30)), isSetBack: true)
    dates.jump(from: Deadline(Workbench.date(-25)), to: Deadline(Workbench.date(15)), isSetBack: false)
    dates.jump(from: Deadline(Workbench.date(25)), to: Deadline(Workbench.date(16)), isSetBack: true)
    let answer = ask(dates, now: now)
    #expect(answer.passed == passed)
    #expect(answer.newest == Workbench.date(newest) && answer.setBackCount == setBackCount)
  }

  @Test(arguments: [nil, 20, 15, .nan] as [Double?])
  func `A rule that gives nil, the same date, one in the past or no number has ended`(given: Double?) {
    let rule = Answering { _ in given.map { Workbench.date($0) } }
    let answer = ask(dates(of: rule, last: 20), now: 21)
    #expect(answer.newest == nil && answer.passed == 0 && answer.next == nil)
  }

  @Test func `A rule of countless dates is asked a bounded number of times`() {
    let given = ask(dates(of: EverySeconds(0.25), last: 0), now: 1e6)
    #expect(given.passed == 10_000)
    #expect(given.next.map { $0 > Workbench.date(1e6) } == true)
  }
}
