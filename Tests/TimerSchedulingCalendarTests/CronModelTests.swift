import Foundation
import TestSupport
import Testing
import TimerSchedulingCalendar

/// The search, compared with a check of every second, every minute or every day.
@Suite(.limited, .guarantee("G41", "G42", "G43")) struct CronModelTests {
  /// Zones with whole hours, a half hour and a quarter, some at midnight, one without changes, one that left
  /// out a day.
  private static let zones = [
    "America/New_York", "Europe/Berlin", "Australia/Lord_Howe", "Asia/Kathmandu", "America/Havana",
    "Pacific/Chatham", "Africa/Casablanca", "Asia/Beirut", "Pacific/Apia", "America/Scoresbysund", "UTC",
  ]

  private static let rounds = TestSupport.rounds(400, least: 10)

  @Test(arguments: SeededGenerator.seeds(1, 2, 20_260_308))
  func `The ticks of four days are those found by looking at every minute`(seed: UInt64) throws {
    try compare(days: 4, seed: seed) { generator in
      CronModel(stars: generator.chance(50) ? 0 : 50, using: &generator)
    }
  }

  @Test(arguments: SeededGenerator.seeds(6, 7))
  func `The ticks of days with entries are those found by looking at every minute`(seed: UInt64) throws {
    try compare(days: 4, seed: seed) { generator in
      var model = CronModel(stars: generator.chance(50) ? 0 : 50, using: &generator)
      model.addEntries(using: &generator)
      return model
    }
  }

  @Test(arguments: SeededGenerator.seeds(8, 9))
  func `The ticks of three hours are those found by looking at every second`(seed: UInt64) throws {
    try compare(days: 0.125, seed: seed) { generator in
      var model = CronModel(stars: generator.chance(50) ? 0 : 50, using: &generator)
      model.allowEveryDay()
      model.addSecond(stars: 30, using: &generator)
      return model
    }
  }

  /// Compares the ticks from a random date on, in both directions.
  private func compare(
    days: Double, seed: UInt64, model make: (inout SeededGenerator) -> CronModel
  ) throws {
    var generator = SeededGenerator(seed: seed)
    var (count, sparse) = (0, 0)
    for _ in 0..<Self.rounds {
      let local = try LocalTime(try #require(Self.zones.randomElement(using: &generator)))
      let model = make(&generator)
      guard let rule = try? CronRule(model.text, timeZone: local.zone) else { continue }
      let start = Self.start(in: local.zone, using: &generator)
      let end = start + days * 86_400
      let expected = model.ticks(after: start, through: end, in: local.zone)
      let found = rule.ticks(after: start).prefix { $0 <= end }
      #expect(
        found.map(local.text) == expected.map(local.text),
        "\(rule) after \(local.text(start)), seed \(seed)")
      let afterEnd = Date(timeIntervalSinceReferenceDate: end.timeIntervalSinceReferenceDate.nextUp)
      let foundBackwards = rule.ticks(before: afterEnd).prefix { $0 > start }
      #expect(
        foundBackwards.reversed().map(local.text) == expected.map(local.text),
        "\(rule) before \(local.text(end)), seed \(seed)")
      count += found.count
      sparse += found.isEmpty ? 1 : 0
    }
    #expect(count > 0 && sparse < Self.rounds)
  }

  /// A moment in two days before a change of the clock or, one time in four, any.
  private static func start(in zone: TimeZone, using generator: inout SeededGenerator) -> Date {
    let any = Date(timeIntervalSince1970: Double.random(in: 0..<2_200_000_000, using: &generator))
    guard !generator.chance(25), let change = zone.nextDaylightSavingTimeTransition(after: any) else {
      return any
    }
    let before = change - Double.random(in: -7200..<172_800, using: &generator)
    // Fractions of a second, whole minutes, and the minutes around the change.
    switch Int.random(in: 0..<3, using: &generator) {
    case 0: return before
    case 1:
      return Date(timeIntervalSince1970: (before.timeIntervalSince1970 / 60).rounded(.down) * 60)
    default: return change + Double(Int.random(in: -120...120, using: &generator) * 60)
    }
  }

  @Test(arguments: SeededGenerator.seeds(3, 4), [false, true])
  func `The days of fifty years are those found by looking at every day`(seed: UInt64, hasEntries: Bool)
    throws
  {
    var generator = SeededGenerator(seed: seed)
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    for _ in 0..<(Self.rounds / 10) {
      var model = CronModel(stars: generator.chance(50) ? 0 : 50, using: &generator)
      if hasEntries { model.addEntries(using: &generator) }
      let fields = [model.dayOfMonth, model.month, model.dayOfWeek].map(\.text).joined(separator: " ")
      guard let rule = try? CronRule("30 12 \(fields)", timeZone: .gmt) else { continue }
      // From the first of a year, with the years 2000 and 2100 on the way.
      let first = CalendarDay(year: Int.random(in: 1951...2099, using: &generator), month: 1, day: 1).number
      let start = Date(timeIntervalSinceReferenceDate: Double(first * 86_400 + 45_000))
      let days = (1...18_262).map { start + Double($0 * 86_400) }
      let expected = days.filter { model.allowsDay($0, in: calendar) }
      let found = rule.ticks(after: start).prefix(expected.count)
      #expect(Array(found) == expected, "\(rule), seed \(seed)")
      let foundBackwards = rule.ticks(before: start + Double(18_262 * 86_400 + 1)).prefix(expected.count)
      #expect(foundBackwards.reversed() == expected, "\(rule), seed \(seed)")
    }
  }

  // In twenty-eight years each month begins on each day of the week, February also with a leap day. In six
  // years each month begins on five of them at least.
  @Test(arguments: CronDayModel.fields)
  func `An entry means the days of its definition`(fields: String, entry: CronDayModel) throws {
    let rule = try CronRule("0 0 \(fields)", timeZone: .gmt)
    let first = CalendarDay(year: 2024, month: 1, day: 1).number
    let numbers = first..<(first + size(6 * 365, full: 7 * 1461))
    let expected = numbers.filter { number in
      let day = CalendarDay(number: number)
      let length = CalendarDay.length(ofMonth: day.month, year: day.year)
      return entry.allows(day.day, weekday: day.weekday, length: length)
    }.map { Date(timeIntervalSinceReferenceDate: Double($0 * 86_400)) }
    let start = Date(timeIntervalSinceReferenceDate: Double(first * 86_400) - 1)
    let end = start + Double(numbers.count * 86_400)
    #expect(rule.ticks(after: start).prefix { $0 <= end }.elementsEqual(expected))
    #expect(rule.ticks(before: end).prefix { $0 > start }.elementsEqual(expected.reversed()))
  }

  @Test(arguments: SeededGenerator.seeds(5), [false, true])
  func `A tick is later than what it follows, however far away, and none lies between`(
    seed: UInt64, isExtended: Bool
  ) throws {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<(Self.rounds * 10) {
      let local = try LocalTime(try #require(Self.zones.randomElement(using: &generator)))
      var model = CronModel(stars: 30, using: &generator)
      if isExtended {
        model.addEntries(using: &generator)
        model.addSecond(stars: 30, using: &generator)
      }
      guard let rule = try? CronRule(model.text, timeZone: local.zone) else { continue }
      let start = Self.start(in: local.zone, using: &generator)
      let next = try #require(rule.nextTick(after: start))
      #expect(next > start, "\(rule) after \(local.text(start)), seed \(seed)")
      // From any date in between it is the same.
      let between = Date.random(in: start..<next, using: &generator)
      #expect(rule.nextTick(after: between) == next, "\(rule) after \(local.text(between)), seed \(seed)")
      // And so is the tick before.
      let previous = try #require(rule.previousTick(before: next))
      #expect(previous <= start, "\(rule) before \(local.text(next)), seed \(seed)")
      #expect(rule.nextTick(after: previous) == next, "\(rule) after \(local.text(previous)), seed \(seed)")
      if between > previous {
        #expect(
          rule.previousTick(before: between) == previous,
          "\(rule) before \(local.text(between)), seed \(seed)")
      }
    }
  }
}

extension Date {
  fileprivate static func random(in range: Range<Date>, using generator: inout SeededGenerator) -> Date {
    let seconds = range.upperBound.timeIntervalSince(range.lowerBound)
    let date = range.lowerBound + Double.random(in: 0..<seconds, using: &generator)
    return min(
      max(date, range.lowerBound),
      Date(timeIntervalSinceReferenceDate: range.upperBound.timeIntervalSinceReferenceDate.nextDown))
  }
}
