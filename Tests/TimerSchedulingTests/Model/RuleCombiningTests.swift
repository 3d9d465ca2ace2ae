import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingCalendar

/// Rules that are made of others.
@Suite(.guarantee("G40")) struct RuleCombiningTests {
  /// Ticks at whole seconds of a set.
  private struct Listed: TickRule, Hashable {
    let seconds: Set<Int>

    func nextTick(after date: Date) -> Date? {
      seconds.map { Date(timeIntervalSinceReferenceDate: Double($0)) }.filter { $0 > date }.min()
    }
  }

  private static func date(_ seconds: Double) -> Date { Date(timeIntervalSinceReferenceDate: seconds) }

  // A quotient of close dates is rounded to the same number.
  @Test func `A rule that calculates with rounded numbers doesn't miss its own dates`() {
    for interval in [0.1, 0.7, 1 / 3.0, 7, 60, 86_400] {
      for start in [-6.3e10, -1.0, 0, 7.9e8, 6.3e10] {
        let rule = EverySeconds(interval)
        let ticks = Array(
          sequence(first: Self.date(start)) { rule.nextTick(after: $0) }.dropFirst().prefix(20))
        let others = Answering { [ticks] date in ticks.first { $0 > date } }
        let rest = others.excluding(rule)
        #expect(rest.nextTick(after: Self.date(start)) == nil, "\(interval) after \(start)")
      }
    }
  }

  @Test(arguments: SeededGenerator.seeds(1, 2, 3)) func `Combined rules have the dates of combined sets`(
    seed: UInt64
  ) {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<20 {
      func random() -> Set<Int> { Set((0..<30).map { _ in Int.random(in: -40..<40, using: &generator) }) }
      let (a, b, c, d) = (random(), random(), random(), random())
      let rule = Listed(seconds: a).union(Listed(seconds: b)).excluding(
        Listed(seconds: c).union(Listed(seconds: d))
      )
      .filter { Int($0.timeIntervalSinceReferenceDate) % 2 == 0 }
      let expected = a.union(b).subtracting(c.union(d)).filter { $0 % 2 == 0 }
      // From any date, in any order: nothing is kept in between.
      for start in (-100..<100).shuffled(using: &generator) {
        let start = Double(start) / 2
        let next = rule.nextTick(after: Self.date(start)).map(\.timeIntervalSinceReferenceDate)
        #expect(next == expected.map(Double.init).filter { $0 > start }.min(), "after \(start), seed \(seed)")
      }
    }
  }

  @Test func `A rule ends when ten thousand dates in a row are left out`() {
    let all = EverySeconds(1)
    #expect(all.excluding(all).nextTick(after: Self.date(0)) == nil)
    #expect(all.filter { _ in false }.nextTick(after: Self.date(0)) == nil)
    for first in [9_999.0, 10_000, 10_001] {
      let expected = first <= 10_000 ? Self.date(first) : nil
      #expect(all.filter { $0 >= Self.date(first) }.nextTick(after: Self.date(0)) == expected)
      let before = all.filter { $0 < Self.date(first) }
      #expect(all.excluding(before).nextTick(after: Self.date(0)) == expected)
    }
  }

  @Test func `A closure is asked once for each date up to the next tick`() {
    let asked = Journal<Double>()
    let rule = EverySeconds(10).filter {
      asked.note($0.timeIntervalSinceReferenceDate)
      return $0 >= Self.date(40)
    }
    #expect(rule.nextTick(after: Self.date(15)) == Self.date(40))
    #expect(asked.entries == [20, 30, 40])
  }

  @Test func `A part whose date isn't later has ended`() {
    let stuck = Answering { $0 }
    let past = Answering { $0 - 5 }
    let notANumber = Answering { _ in Self.date(.nan) }
    for rule in [stuck, past, notANumber] {
      #expect(rule.union(Listed(seconds: [5])).nextTick(after: Self.date(0)) == Self.date(5))
      #expect(Listed(seconds: [5]).union(rule).nextTick(after: Self.date(0)) == Self.date(5))
      #expect(rule.excluding(EverySeconds(10)).nextTick(after: Self.date(0)) == nil)
      #expect(EverySeconds(10).excluding(rule).nextTick(after: Self.date(0)) == Self.date(10))
      #expect(rule.filter { _ in true }.nextTick(after: Self.date(0)) == nil)
    }
  }

  @Test func `Dates at the ends of time`() {
    let ends = [
      -Double.infinity, -.greatestFiniteMagnitude, 1e300, .greatestFiniteMagnitude, .infinity, .nan,
    ]
    let far = Answering { $0 < Self.date(1e300) ? Self.date(1e300) : nil }
    for end in ends {
      let date = Self.date(end)
      let isBefore = date < Self.date(1e300)
      #expect(far.union(far).nextTick(after: date) == (isBefore ? Self.date(1e300) : nil))
      #expect(far.excluding(far).nextTick(after: date) == nil)
      #expect(far.filter { _ in true }.nextTick(after: date) == (isBefore ? Self.date(1e300) : nil))
    }
  }

  @Test func `Schedules with combined rules are equal if their parts are`() {
    func union(_ a: Int, _ b: Int) -> TimerSchedule {
      .rule(Listed(seconds: [a]).union(Listed(seconds: [b])))
    }
    func excluding(_ a: Int, _ b: Int) -> TimerSchedule {
      .rule(Listed(seconds: [a]).excluding(Listed(seconds: [b])))
    }
    #expect(union(1, 2) == union(1, 2) && excluding(1, 2) == excluding(1, 2))
    #expect(union(1, 2).hashValue == union(1, 2).hashValue)
    #expect(
      Set([union(1, 2), union(1, 2), union(2, 1), excluding(1, 2), excluding(2, 1), excluding(1, 3)]).count
        == 5)
    let filtered = TimerSchedule.rule(Listed(seconds: [1]).filter { _ in true })
    #expect(filtered != filtered)
    let closures = TimerSchedule.rule(Listed(seconds: [1]).union(Answering { _ in nil }))
    #expect(closures != closures)
  }

  @Test func `A description names all parts`() {
    let rule = EverySeconds(10).union(EverySeconds(15)).excluding(EverySeconds(20)).filter { _ in true }
    #expect(
      TimerSchedule.rule(rule).description == """
        rule (((EverySeconds(seconds: 10.0)) or (EverySeconds(seconds: 15.0))) but not (EverySeconds(seconds: 20.0))) \
        where (Function)
        """)
  }
}
