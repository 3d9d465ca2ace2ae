import Foundation
import TestSupport
import Testing
import TimerSchedulingCalendar

/// The examples in the documentation of Quartz (its CronTrigger tutorial) and of croner (its README), each
/// compared with a search that looks at every second of the days that its words allow.
@Suite(.limited, .guarantee("G41")) struct CronPeerTests {
  struct Day {
    var month = 1
    var day = 1
    /// 1 for Monday to 7.
    var weekday = 1
    var length = 31

    var isWorkday: Bool { weekday < 6 }
  }

  struct Example: CustomTestStringConvertible {
    let theirs: String
    let ours: String
    let hour: @Sendable (Int) -> Bool
    let minute: @Sendable (Int) -> Bool
    let second: @Sendable (Int) -> Bool
    let day: @Sendable (Day) -> Bool

    init(
      _ theirs: String, _ ours: String, _ hour: Int? = 0, minute: Int? = 0, second: Int? = 0,
      day: @escaping @Sendable (Day) -> Bool
    ) {
      self.init(
        theirs, ours, hours: { $0 == hour ?? $0 }, minutes: { $0 == minute ?? $0 },
        seconds: { $0 == second ?? $0 },
        day: day)
    }

    init(
      _ theirs: String, _ ours: String, hours hour: @escaping @Sendable (Int) -> Bool,
      minutes minute: @escaping @Sendable (Int) -> Bool,
      seconds second: @escaping @Sendable (Int) -> Bool = { $0 == 0 },
      day: @escaping @Sendable (Day) -> Bool = { _ in true }
    ) {
      (self.theirs, self.ours) = (theirs, ours)
      (self.hour, self.minute, self.second, self.day) = (hour, minute, second, day)
    }

    var testDescription: String { theirs }
  }

  /// Quartz counts the days of the week from 1 for Sunday, and writes `?` in a day field that says nothing.
  static let quartz = [
    Example("0 0 12 * * ?", "0 0 12 * * *", 12) { _ in true },
    Example("0 15 10 ? * *", "0 15 10 * * *", 10, minute: 15) { _ in true },
    Example("0 * 14 * * ?", "0 * 14 * * *", 14, minute: nil) { _ in true },
    Example("0 0/5 14 * * ?", "0 0-59/5 14 * * *", hours: { $0 == 14 }, minutes: { $0 % 5 == 0 }),
    Example(
      "0 0/5 14,18 * * ?", "0 */5 14,18 * * *", hours: { [14, 18].contains($0) }, minutes: { $0 % 5 == 0 }),
    Example("0 0-5 14 * * ?", "0 0-5 14 * * *", hours: { $0 == 14 }, minutes: { $0 <= 5 }),
    Example(
      "0 10,44 14 ? 3 WED", "0 10,44 14 * 3 WED", hours: { $0 == 14 }, minutes: { [10, 44].contains($0) },
      day: { $0.month == 3 && $0.weekday == 3 }),
    Example("0 15 10 ? * MON-FRI", "0 15 10 * * MON-FRI", 10, minute: 15) { $0.isWorkday },
    Example("0 15 10 15 * ?", "0 15 10 15 * *", 10, minute: 15) { $0.day == 15 },
    Example("0 15 10 L * ?", "0 15 10 L * *", 10, minute: 15) { $0.day == $0.length },
    // The tutorial calls this the second-to-last day, but Quartz subtracts two from the last.
    Example("0 15 10 L-2 * ?", "0 15 10 L-2 * *", 10, minute: 15) { $0.day == $0.length - 2 },
    Example("0 15 10 ? * 6L", "0 15 10 * * 5L", 10, minute: 15) { $0.weekday == 5 && $0.day > $0.length - 7 },
    Example("0 15 10 ? * 6#3", "0 15 10 * * 5#3", 10, minute: 15) { $0.weekday == 5 && 15...21 ~= $0.day },
    Example("0 0 12 1/5 * ?", "0 0 12 1-31/5 * *", 12) { $0.day % 5 == 1 },
    Example("0 11 11 11 11 ?", "0 11 11 11 11 *", 11, minute: 11) { $0.month == 11 && $0.day == 11 },
    Example("0 0 0 ? * 2#1", "0 0 0 * * 1#1") { $0.weekday == 1 && $0.day <= 7 },
    Example("0 0 0 ? * 4#5", "0 0 0 * * 3#5") { $0.weekday == 3 && $0.day > 28 },
    Example("0 0 0 15W * ?", "0 0 0 15W * *", day: isNearestWeekday(to: 15)),
    Example("0 0 0 1W * ?", "0 0 0 1W * *", day: isNearestWeekday(to: 1)),
    // The last weekday, with nothing but a weekend after it.
    Example("0 0 0 LW * ?", "0 0 0 LW * *") {
      $0.isWorkday && $0.length - $0.day <= ($0.weekday == 5 ? 2 : 0)
    },
  ]

  /// croner, which writes `#L` for the last.
  static let croner = [
    Example("* * * * * *", "* * * * * *", nil, minute: nil, second: nil) { _ in true },
    Example(
      "*/5 * * * * *", "*/5 * * * * *", hours: { _ in true }, minutes: { _ in true }, seconds: { $0 % 5 == 0 }
    ),
    Example("0 0 0 * * 7", "0 0 0 * * 7") { $0.weekday == 7 },
    Example("59 59 23 24 DEC *", "59 59 23 24 DEC *", 23, minute: 59, second: 59) {
      $0.month == 12 && $0.day == 24
    },
    Example("0 20 1 * MON", "0 20 1 * MON", 20) { $0.day == 1 || $0.weekday == 1 },
    Example("0 0 L * *", "0 0 L * *") { $0.day == $0.length },
    Example("0 0 * * 5#2", "0 0 * * 5#2") { $0.weekday == 5 && 8...14 ~= $0.day },
    Example("0 0 * * MON#1", "0 0 * * MON#1") { $0.weekday == 1 && $0.day <= 7 },
    Example("0 0 * * FRI#L", "0 0 * * FRIL") { $0.weekday == 5 && $0.day > $0.length - 7 },
    Example("0 0 * * 5-6#L", "0 0 * * 5L,6L") { 5...6 ~= $0.weekday && $0.day > $0.length - 7 },
    Example("0 0 * * MON-FRI#2", "0 0 * * MON#2,TUE#2,WED#2,THU#2,FRI#2") {
      $0.isWorkday && 8...14 ~= $0.day
    },
    Example("0 0 15W * *", "0 0 15W * *", day: isNearestWeekday(to: 15)),
    Example("0 0 1W * *", "0 0 1W * *", day: isNearestWeekday(to: 1)),
    Example("0 0 31W * *", "0 0 31W * *", day: isNearestWeekday(to: 31)),
  ]

  private static func isNearestWeekday(to wanted: Int) -> @Sendable (Day) -> Bool {
    { day in
      let weekdays = (1...day.length).filter { (day.weekday + $0 - day.day + 69) % 7 < 5 }
      let nearest = weekdays.min { abs($0 - wanted) < abs($1 - wanted) }
      return wanted <= day.length && nearest == day.day
    }
  }

  /// The first dates from Monday 1 January 2024 on, at most 3000 in four years.
  private static func dates(of example: Example) -> [Date] {
    let times = (0..<86_400).filter {
      example.second($0 % 60) && example.minute($0 / 60 % 60) && example.hour($0 / 3600)
    }
    var day = Day()
    var dates: [Date] = []
    for number in 0..<1461 where dates.count < 3000 {
      if example.day(day) {
        dates += times.prefix(3000).map {
          Date(timeIntervalSince1970: Double(1_704_067_200 + number * 86_400 + $0))
        }
      }
      day.day += 1
      day.weekday = day.weekday % 7 + 1
      if day.day > day.length {
        day.day = 1
        day.month = day.month % 12 + 1
        let isLeapYear = number < 366
        day.length = [31, isLeapYear ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][day.month - 1]
      }
    }
    return dates
  }

  @Test(arguments: quartz + croner) func `An example means what its documentation says`(example: Example)
    throws
  {
    let expected = Self.dates(of: example)
    #expect(!expected.isEmpty)
    let rule = try CronRule(example.ours, timeZone: .gmt)
    let start = Date(timeIntervalSince1970: 1_704_067_199.5)
    #expect(Array(rule.ticks(after: start).prefix(expected.count)) == expected)
    let end = try #require(expected.last) + 0.5
    #expect(rule.ticks(before: end).prefix { $0 > start }.reversed() == expected)
  }
}
