import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingTesting

/// Dates beyond the clock's range, which begins in September 1677 and ends in April 2262.
@Suite(.guarantee("G16")) struct ClockRangeTests {
  private static let day = 86_400.0
  private static let century = 36_525 * day

  /// The first moment of a year.
  private static func year(_ year: Int, _ monthAndDay: String = "01-01") throws -> Date {
    try Date("\(year)-\(monthAndDay)T00:00:00Z", strategy: .iso8601)
  }

  private static func dates(_ schedule: TimerSchedule, after date: Date, most count: Int = 5) -> [Date] {
    Array(schedule.dates(after: date).prefix(count))
  }

  private static let kinds: [TimerSchedule] = [
    .every(day), .every(1, starting: .immediately), .after(1), .after(0), .every(day, starting: .aligned),
    .every(day, starting: .aligned(offset: .seconds(day / 2))),
    .every(60, starting: .aligned(offset: .microseconds(1))),
    .every(day, starting: .at(Date(timeIntervalSince1970: 0))), .at(Date(timeIntervalSince1970: 0)),
    .rule(EverySeconds(day)), .every(1).until(.distantFuture),
    TimerSchedule(cadence: .countdown(CountdownScale(from: .seconds(2), to: .zero, every: .seconds(1)))),
  ]

  @Test func `A date is one date, also seen from before the clock's beginning`() throws {
    let schedule = TimerSchedule.at(try Self.year(2000))
    #expect(Self.dates(schedule, after: try Self.year(1657)) == [try Self.year(2000)])
    #expect(Self.dates(schedule, after: try Self.year(1690)) == [try Self.year(2000)])
    #expect(Self.dates(schedule.until(.distantFuture), after: .distantPast) == [try Self.year(2000)])
    #expect(Self.dates(.at(try Self.year(1670)), after: try Self.year(1657)).isEmpty)
  }

  @Test(arguments: kinds) func `A timer made before the clock's beginning has no date before it`(
    schedule: TimerSchedule
  ) throws {
    let beginning = try Self.year(1677, "09-21")
    for date in [try Self.year(1657), .distantPast, Date(timeIntervalSinceReferenceDate: -1e300)] {
      let dates = Self.dates(schedule, after: date)
      #expect(zip(dates, dates.dropFirst()).allSatisfy { $0 < $1 })
      #expect(dates.allSatisfy { $0 > beginning })
      // The dates that count from this one can't be known.
      if schedule.cadence.isRelative { #expect(dates.isEmpty) }
    }
  }

  @Test func `Dates of the calendar begin with the clock`() throws {
    let midnights = try ["09-22", "09-23"].map { try Self.year(1677, $0) }
    #expect(
      Self.dates(.every(Self.day, starting: .aligned), after: try Self.year(1657), most: 2) == midnights)
    // The clock begins on that day at 00:12:43.
    for (minutes, day) in [(10.0, 1), (12, 1), (13, 0), (-1, 0)] {
      let schedule = TimerSchedule.every(Self.day, starting: .aligned(offset: .seconds(60 * minutes)))
      let first =
        try Self.year(1677, day == 0 ? "09-21" : "09-22") + 60 * (minutes < 0 ? 1_440 + minutes : minutes)
      #expect(Self.dates(schedule, after: try Self.year(1657), most: 2) == [first, first + Self.day])
    }
    let started = TimerSchedule.every(Self.day, starting: .at(try Self.year(1600)))
    #expect(Self.dates(started, after: try Self.year(1657), most: 2) == midnights)
  }

  @Test func `A cadence that started before the clock's beginning keeps its phase`() throws {
    let noon = try Self.year(2000) + Self.day / 2
    for start in [1600, 1690, 1990] {
      let schedule = TimerSchedule.every(Self.day, starting: .at(try Self.year(start)))
      // The newest date that has passed is due at once.
      #expect(Self.dates(schedule, after: noon, most: 3) == [0, 0.5, 1.5].map { noon + $0 * Self.day })
      #expect(try TimerSchedule(parsing: schedule.description) == schedule)
    }
    #expect(
      TimerSchedule.every(60, starting: .at(try Self.year(1600))) != .every(60, starting: .at(.distantPast)))
  }

  @Test func `At the clock's beginning each day of a rule comes once`() throws {
    let start = try Self.year(1690)
    let dates = Self.dates(.rule(EverySeconds(Self.day)), after: start, most: 8_000)
    #expect(dates == (1...8_000).map { start + Double($0) * Self.day })
  }

  @Test(arguments: kinds) func `The dates end with the clock`(schedule: TimerSchedule) throws {
    let end = try Self.year(2262, "04-12")
    #expect(schedule.dates(after: end - 3600).allSatisfy { $0 < end })
    for date in [end, try Self.year(9000), .distantFuture, Date(timeIntervalSinceReferenceDate: 1e300)] {
      #expect(Self.dates(schedule, after: date).isEmpty)
    }
    #expect(Self.dates(schedule, after: Date(timeIntervalSinceReferenceDate: .nan)).isEmpty)
  }

  @Test func `An end beyond the clock's is none`() throws {
    let start = try Self.year(1960)
    let centuries = (1...3).map { start + Double($0) * Self.century }
    for schedule in [
      TimerSchedule.every(Self.century), .every(Self.century, starting: .at(start + Self.century)),
      .rule(Answering { $0 + Self.century }),
    ] {
      #expect(Self.dates(schedule, after: start) == centuries)
      #expect(Self.dates(schedule.until(.distantFuture), after: start) == centuries)
      #expect(Self.dates(schedule.until(try Self.year(9999)), after: start) == centuries)
      #expect(Self.dates(schedule.until(try Self.year(1600)), after: start).isEmpty)
    }
  }

  @Test(arguments: [Double.infinity, -.infinity, 1e300, -1e300, 1e19, -1e19, 1e18, -1e18])
  func `No date of a program traps`(seconds: Double) throws {
    let date = Date(timeIntervalSinceReferenceDate: seconds)
    let now = Date(timeIntervalSince1970: 1e9)
    #expect(Self.dates(.at(date), after: now) == (seconds < 0 ? [now] : []))
    #expect(Self.dates(.every(1).until(date), after: now).isEmpty == (seconds < 0))
    #expect(Self.dates(.every(1, starting: .at(date)), after: now).isEmpty == (seconds > 0))
    for schedule in [TimerSchedule.at(date), .every(1).until(date), .every(1, starting: .at(date))] {
      #expect(try TimerSchedule(parsing: schedule.description) == schedule)
    }
  }

  @Test func `A timer says no date that the clock can't show`() async throws {
    let scheduler = VirtualClock.manual(date: try Self.year(2101)).kept().makeScheduler()
    let timer = scheduler.timer(on: .every(2 * Self.century))
    #expect(timer.nextDate == nil)
    #expect(timer.nextDates(3).isEmpty)
    let late = scheduler.timer(on: .at(try Self.year(9999)))
    #expect(late.nextDate == nil)
    #expect(late.nextDates(3).isEmpty)
    #expect(late.schedule == .at(.distantFuture))
  }

  @Test func `A timer says a date that is more than 292 years ahead`() async throws {
    let scheduler = VirtualClock.manual(date: try Self.year(1690)).kept().makeScheduler()
    let timer = scheduler.timer(on: .at(try Self.year(2000)))
    #expect(timer.nextDate == (try Self.year(2000)))
    #expect(timer.nextDates(3) == [try Self.year(2000)])
  }

  @Test(.guarantee("G15")) func `The schedule of a countdown is encoded and decoded`() async throws {
    let scheduler = VirtualClock.manual().kept().makeScheduler()
    let countdown = scheduler.countdown(from: .seconds(90), every: .milliseconds(500), name: "tea")
    let schedule = try #require(await scheduler.snapshots.first?.schedule)
    #expect(schedule.description == "countdown from 90 s to 0 s every 500 ms")
    let data = try JSONEncoder().encode([schedule])
    #expect(try JSONDecoder().decode([TimerSchedule].self, from: data) == [schedule])
    withExtendedLifetime(countdown) {}
  }
}

extension TimerSchedule.Cadence {
  /// Whether the deadlines count from the moment at which a timer is made.
  fileprivate var isRelative: Bool {
    switch self {
    case .once, .countdown, .every(_, .afterInterval), .every(_, .immediately), .every(_, .after): true
    case .onceAt, .every, .countdownUntil, .rule: false
    }
  }
}
