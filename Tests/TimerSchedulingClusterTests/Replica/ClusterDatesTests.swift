import Foundation
import Synchronization
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingCalendar
import TimerSchedulingCluster

/// The dates that replicas owe, in seconds since 1970.
@Suite struct ClusterDatesTests {
  private func dates(
    _ schedule: TimerSchedule, catchUp: Duration = .seconds(86_400)
  ) throws -> ClusterDates {
    try ClusterDates(schedule, catchUp: catchUp)
  }

  private static func seconds(_ seconds: Double) -> StoreTime {
    StoreTime(Date(timeIntervalSince1970: seconds))
  }

  private func next(_ dates: ClusterDates, after cursor: Double, now: Double) -> [Double]? {
    let found = choice(dates, after: Self.seconds(cursor), now: Self.seconds(now))
    return (found.date ?? found.next).map { [$0.date.timeIntervalSince1970, Double(found.missed)] }
  }

  /// What a run accounts for that is claimed now.
  private func choice(_ dates: ClusterDates, after cursor: StoreTime, now: StoreTime) -> RunEnd {
    let claim = ClaimedRun(
      job: "job", from: cursor.next, until: max(now, cursor), attempt: 1, token: 1,
      schedule: dates.fingerprint)
    return dates.plannedEnd(of: claim, attempts: 1)
  }

  private static let minutely = TimerSchedule.every(.seconds(60), starting: .aligned)

  @Test func `A grid from a date has no date before it, and a single date comes once`() throws {
    let grid = try dates(.every(.seconds(60), starting: .at(Date(timeIntervalSince1970: 90))))
    #expect(next(grid, after: 0, now: 0) == [90, 0])
    #expect(next(grid, after: 90, now: 215) == [210, 1])
    let once = try dates(.at(Date(timeIntervalSince1970: 90)))
    #expect(next(once, after: 0, now: 1_000) == [90, 0])
    #expect(next(once, after: 90, now: 1_000) == nil)
  }

  // cursor, now, date and the number of dates skipped before it, in microseconds
  @Test(
    arguments: [
      (0, 0, 15_000_001, 0), (15_000_001, 200_000_000, 195_000_001, 2),
      (-60_000_000, -60_000_000, -44_999_999, 0),
    ] as [(Int64, Int64, Int64, Int)])
  func `An offset moves each date, before 1970 too`(
    cursor: Int64, now: Int64, date: Int64, missed: Int
  ) throws {
    let offset = TimerSchedule.Start.aligned(offset: .microseconds(-44_999_999))
    let found = choice(
      try dates(.every(.seconds(60), starting: offset)), after: StoreTime(microseconds: cursor),
      now: StoreTime(microseconds: now))
    #expect(found.date ?? found.next == StoreTime(microseconds: date))
    #expect(found.missed == missed)
  }

  @Test func `A backfill without a date is given up by a first attempt, whose schedule is the newest`() throws
  {
    let dates = try dates(.at(Date(timeIntervalSince1970: 10)))
    var claim = ClaimedRun(
      job: "job", from: Self.seconds(100), until: Self.seconds(200), attempt: 1, token: 1,
      schedule: dates.fingerprint)
    let asked = #"{"id": 7, "from": 20000000, "through": 30000000}"#
    claim.asked = try JSONDecoder().decode(AskedRange.self, from: Data(asked.utf8))
    #expect(dates.plannedEnd(of: claim, attempts: 2).asked == 7)
    claim.attempt = 2
    #expect(dates.plannedEnd(of: claim, attempts: 2).asked == nil)
  }

  @Test func `A rule's dates are skipped one by one`() throws {
    let dates = try dates(.rule(try CronRule("*/15 * * * *")))
    #expect(next(dates, after: 0, now: 100) == [900, 0])
    #expect(next(dates, after: 0, now: 3_700) == [3_600, 3])
  }

  @Test func `After a hundred years, millions of dates are skipped at once`() throws {
    let century = 100 * 365.25 * 86_400
    let dates = try dates(.every(.milliseconds(1), starting: .aligned))
    #expect(next(dates, after: 0, now: century) == [century, century * 1_000 - 1])
  }

  @Test(.guarantee("G17"), arguments: 0..<200)
  func `The next date is that of an enumeration of all`(round: Int) throws {
    let step = Int.random(in: 1...20)
    let isBurst = Bool.random()
    let catchUp = Int.random(in: 0...50)
    let end = Bool.random() ? Int.random(in: -50...150) : nil
    let (cursor, now) = (Int.random(in: -100...100), Int.random(in: -100...200))
    let offset = Int.random(in: -30...30)
    var schedule = TimerSchedule.every(.seconds(step), starting: .aligned(offset: .seconds(offset)))
    if isBurst { schedule = schedule.missedTicks(.burst) }
    if let end { schedule = schedule.until(Date(timeIntervalSince1970: Double(end))) }

    var owed = (cursor + 1...500).filter { ($0 - offset).isMultiple(of: step) && $0 <= end ?? 500 }
    var missedCount = 0
    while let first = owed.first,
      isBurst ? first < now - catchUp : owed.count > 1 && owed[1] <= now
    {
      owed.removeFirst()
      missedCount += 1
    }
    let expected = owed.first.map { [Double($0), Double(missedCount)] }
    let found = next(
      try dates(schedule, catchUp: .seconds(catchUp)), after: Double(cursor), now: Double(now))
    let text =
      "every \(step) s, offset \(offset) s, burst \(isBurst), catchUp \(catchUp), until \(end ?? 500), \(cursor), \(now)"
    #expect(found == expected, "\(text)")
    // The same dates as a rule.
    var rule = TimerSchedule.rule(GridRule(step: step, offset: offset))
    if isBurst { rule = rule.missedTicks(.burst) }
    if let end { rule = rule.until(Date(timeIntervalSince1970: Double(end))) }
    var ofRule = choice(
      try dates(rule, catchUp: .seconds(catchUp)), after: Self.seconds(Double(cursor)),
      now: Self.seconds(Double(now)))
    let ofGrid = choice(
      try dates(schedule, catchUp: .seconds(catchUp)), after: Self.seconds(Double(cursor)),
      now: Self.seconds(Double(now)))
    ofRule.schedule = ofGrid.schedule
    #expect(ofRule == ofGrid, "\(text)")
  }

  /// The dates of an interval, as a rule.
  private struct GridRule: TickRule, CustomStringConvertible {
    let step: Int
    var offset = 0

    var description: String { "grid of \(step) and \(offset)" }

    func nextTick(after date: Date) -> Date? {
      let past = (date.timeIntervalSince1970 - Double(offset)) / Double(step)
      return Date(timeIntervalSince1970: (past.rounded(.down) + 1) * Double(step) + Double(offset))
    }
  }

  // Fails if a rule is asked for each of a billion dates, or if the count goes on.
  @Test(arguments: [false, true])
  func `A rule is asked some thousand times after thirty years`(isBurst: Bool) throws {
    let calls = CallCount()
    let rule = TimerSchedule.rule(CountedRule(calls: calls)).missedTicks(isBurst ? .burst : .skip)
    let now = 30 * 365 * 86_400
    let found = choice(
      try dates(rule, catchUp: .seconds(60)), after: Self.seconds(0), now: Self.seconds(Double(now)))
    #expect(found.date == Self.seconds(Double(isBurst ? now - 60 : now)))
    #expect(found.missed == ClusterDates.countLimit)
    #expect(found.skipped.last?.last == Self.seconds(Double(isBurst ? now - 61 : now - 1)))
    #expect(calls.count.withLock(\.self) < 11_000)
  }

  private final class CallCount: Sendable {
    let count = Mutex(0)
  }

  /// Each second.
  private struct CountedRule: TickRule, CustomStringConvertible {
    let calls: CallCount

    var description: String { "each second" }

    func nextTick(after date: Date) -> Date? {
      calls.count.withLock { $0 += 1 }
      return Date(timeIntervalSince1970: date.timeIntervalSince1970.rounded(.down) + 1)
    }
  }

  @Test func `Schedules with the same dates have the same fingerprint`() throws {
    let same = [
      Self.minutely, Self.minutely.missedTicks(.burst), Self.minutely.tolerance(.seconds(1)),
      .every(.seconds(60), starting: .aligned(offset: .seconds(-120))),
    ]
    #expect(Set(try same.map { try dates($0).fingerprint }).count == 1)
    let others = [
      Self.minutely, .every(.seconds(61), starting: .aligned), Self.minutely.until(.distantFuture),
      .every(.seconds(60), starting: .aligned(offset: .microseconds(1))),
      .every(.seconds(60), starting: .spread(by: "tenant-1", over: .seconds(60))),
    ]
    #expect(Set(try others.map { try dates($0).fingerprint }).count == others.count)
  }

  // MARK: Combined rules

  @Test func `Replicas compare all parts of a combined rule`() throws {
    let days = try CronRule("0 9 * * MON-FRI", timeZone: .gmt)
    let holidays = try CronRule("0 9 25,26 12 *", timeZone: .gmt)
    let others = try CronRule("0 9 25 12 *", timeZone: .gmt)
    let rules: [TimerSchedule] = [
      .rule(days.excluding(holidays)), .rule(days.excluding(others)), .rule(days.union(holidays)),
      .rule(holidays.union(days)), .rule(days.union(holidays).excluding(others)),
      .rule(days.union(holidays.excluding(others))),
    ]
    #expect(Set(try rules.map { try dates($0).fingerprint }).count == rules.count)
    #expect(
      try dates(.rule(days.excluding(holidays))).fingerprint
        == "rule (cron 0 9 * * MON-FRI GMT) but not (cron 0 9 25,26 12 * GMT)")
    // Blanks make no difference.
    let spaced = try CronRule(" 0  9 * * MON-FRI", timeZone: .gmt)
    #expect(try dates(rules[0]).fingerprint == dates(.rule(spaced.excluding(holidays))).fingerprint)
    // From Wednesday 23 December 2026 on, Thursday, Monday and Tuesday are skipped, and Friday is a holiday.
    let start = 1_798_016_400.0
    #expect(next(try dates(rules[0]), after: start, now: start + 7 * 86_400) == [start + 7 * 86_400, 3])
  }

  private struct Holding<Value: Sendable>: TickRule {
    let value: Value

    func nextTick(after date: Date) -> Date? { date + 60 }
  }

  private struct Described: TickRule, CustomStringConvertible {
    let days: Set<Int>
    var description: String { "days \(days.sorted())" }

    func nextTick(after date: Date) -> Date? { date + 60 }
  }

  private final class Table: Sendable {}

  private enum Kind {
    case odd
    case named(String, [Int])
  }

  @Test func `A rule's properties are its text, if they are the same text in each process`() throws {
    for rule: any TickRule in [
      Holding(value: 1), Holding(value: "(Function)"), Holding(value: [1, 2]), Holding(value: Kind.odd),
      Holding(value: Kind.named("a", [3])), Holding(value: Date?.none),
      Holding(value: (TimeZone.gmt, 2.5, true)), Holding(value: Described(days: [1, 2])),
      Described(days: [1, 2]),
    ] {
      let other = try CronRule("0 9 * * *", timeZone: .gmt)
      #expect(try dates(.rule(rule)).fingerprint == "rule \(rule)")
      #expect(try dates(.rule(other.excluding(rule))).fingerprint.contains("but not (\(rule))"))
    }
    for rule: any TickRule in [
      Holding(value: Set([1, 2])), Holding(value: [1: 2]), Holding(value: [Set([1])]),
      Holding(value: Set([1]) as Set?), Holding(value: (1, Set([1]))), Holding(value: Table()),
      Holding(value: \Date.description as KeyPath & Sendable),
      Holding(value: Holding(value: Table())), Holding(value: Date.self),
    ] {
      let other = try CronRule("0 9 * * *", timeZone: .gmt)
      #expect(throws: ClusterError.self, "\(rule)") { try dates(.rule(rule)) }
      #expect(throws: ClusterError.self, "\(rule)") { try dates(.rule(other.union(rule))) }
    }
  }

  @Test func `A closure has no text that replicas can compare`() throws {
    let days = try CronRule("0 9 * * MON-FRI", timeZone: .gmt)
    let schedules: [TimerSchedule] = [
      .rule(days.filter { _ in true }), .rule(days.union(days.filter { _ in true })),
      .rule(days.excluding(days.filter { _ in true })),
      .rule(Holding<@Sendable (Date) -> Date>(value: { $0 + 60 })),
      .rule(days.filter { _ in true }.excluding(days)),
    ]
    for schedule in schedules {
      #expect(throws: ClusterError.self) { try dates(schedule) }
    }
    do {
      _ = try dates(schedules[0])
      Issue.record("A filter was accepted.")
    } catch {
      #expect(
        "\(error)" == """
          Replicas can't agree on the dates of "rule (cron 0 9 * * MON-FRI GMT) where (Function)": its rule has no text \
          that replicas can compare. Give your own rule a description (CustomStringConvertible) of all that its dates \
          depend on, and use that instead of a closure. Use .rule, .at, or .every with starting: .aligned or .at.
          """)
    }
  }
}
