import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingCalendar

/// Rules as texts, and the dates they have ahead.
@Suite(.guarantee("G14")) struct CronTextTests {
  private static let berlin = TimeZone(identifier: "Europe/Berlin") ?? .gmt

  @Test(arguments: [
    ("30 9 * * MON-FRI Europe/Berlin", "30 9 * * MON-FRI", berlin),
    ("  cron  0,30 9 *  * *   Europe/Berlin ", "0,30 9 * * *", berlin),
    ("@daily Europe/Berlin", "@daily", berlin), ("cron 0 9 * * *", "0 9 * * *", TimeZone.current),
    ("@hourly", "@hourly", .current),
    ("0 30 9 * * MON-FRI Europe/Berlin", "0 30 9 * * MON-FRI", berlin),
    ("cron */10 * * * * *  Europe/Berlin", "*/10 * * * * *", berlin),
    ("30 9 L,15W,LW * *  Europe/Berlin", "30 9 L,15W,LW * *", berlin),
    ("30 9 L-3 * FRI#2,5L Europe/Berlin", "30 9 L-3 * FRI#2,5L", berlin),
    ("0 30 9 * * FRI#2", "0 30 9 * * FRI#2", .current), ("0 30 9 * * SAT", "0 30 9 * * SAT", .current),
  ]) func `A schedule is read from a line of text`(text: String, expression: String, zone: TimeZone) throws {
    let schedule = try TimerSchedule(parsingCron: text)
    #expect(schedule == .rule(try CronRule(expression, timeZone: zone)))
    #expect(schedule.description == "cron \(expression) \(zone.identifier)")
    #expect(try TimerSchedule(parsingCron: schedule.description) == schedule)
  }

  @Test func `Options follow the rule`() throws {
    let text = "cron 0,30 9 * * MON-FRI Europe/Berlin, tolerance 1 m, limit 3"
    let schedule = try TimerSchedule(parsingCron: text)
    let rule = try CronRule("0,30 9 * * MON-FRI", timeZone: Self.berlin)
    #expect(schedule == .rule(rule).tolerance(.seconds(60)).limit(3))
    #expect(schedule.description == text)
    #expect(try TimerSchedule(parsingCron: "0 9 * * *, limit 3") == .rule(CronRule("0 9 * * *")).limit(3))
  }

  @Test func `A text that is no rule is an error that says why`() throws {
    let zone = #expect(throws: CronRuleError.self) {
      try TimerSchedule(parsingCron: "0 9 * * * Europe/Paname")
    }
    #expect(zone?.problem == .unknownTimeZone && zone?.part == "Europe/Paname")
    #expect(
      zone?.description == """
        The time zone of a cron rule must be an identifier such as Europe/Berlin, but "Europe/Paname" was given in \
        "0 9 * * * Europe/Paname".
        """)
    let sixFields = #expect(throws: CronRuleError.self) {
      try TimerSchedule(parsingCron: "0 0 9 * * MON Europe/Paname")
    }
    #expect(sixFields?.problem == .unknownTimeZone && sixFields?.part == "Europe/Paname")
    for name in ["London", "Montreal", "+01:00", "Frankfurt"] {
      let error = #expect(throws: CronRuleError.self) { try TimerSchedule(parsingCron: "0 9 * * * \(name)") }
      #expect(error?.problem == .unknownTimeZone && error?.part == name, "\(name)")
    }
    let london = #expect(throws: CronRuleError.self) { try TimerSchedule(parsingCron: "0 9 * * * London") }
    #expect(
      london?.description == """
        The time zone of a cron rule must be an identifier such as Europe/Berlin, but "London" was given in \
        "0 9 * * * London". As the last of six fields, it must be a day of the week, such as FRI.
        """)
    // A year, as other crontabs have.
    let year = #expect(throws: CronRuleError.self) { try TimerSchedule(parsingCron: "0 0 9 * * MON 2026") }
    #expect(year?.problem == .fieldCount)
    let four = #expect(throws: CronRuleError.self) { try TimerSchedule(parsingCron: "0 9 * * Europe/Berlin") }
    #expect(four?.problem == .fieldCount && four?.description.contains("but 4 were given") == true)
    let day = #expect(throws: CronRuleError.self) { try TimerSchedule(parsingCron: "0 0 9 * * Friday") }
    #expect(day?.problem == .invalidValue && day?.part == "Friday" && day?.field == .dayOfWeek)
    for name in ["FRIL#2", "Mon-Friday", "L-3", "8", "sun,mond", "T"] {
      let error = #expect(throws: CronRuleError.self) { try TimerSchedule(parsingCron: "0 0 9 * * \(name)") }
      #expect(error?.problem == .invalidValue && error?.field == .dayOfWeek, "\(name)")
    }
    let fields = #expect(throws: CronRuleError.self) { try TimerSchedule(parsingCron: "0 9 * *") }
    #expect(fields?.problem == .fieldCount)
    let field = #expect(throws: CronRuleError.self) { try TimerSchedule(parsingCron: "cron 0 25 * * *") }
    #expect(field?.part == "25")
    let option = #expect(throws: TimerScheduleError.self) {
      try TimerSchedule(parsingCron: "0 9 * * *, starting aligned")
    }
    guard case .unreadable("0 9 * * *, starting aligned", 11, _) = option else {
      Issue.record("\(String(describing: option))")
      return
    }
  }

  @Test(arguments: [
    "0 9 * * * GMT\0", "0 9 * * * GMT\u{301}", "0 9 * * * Ｇ", "0 9 * * *\u{A0}GMT", "\u{A0}cron 0 9 * * *",
    "cron\u{3000}0 9 * * *", "0 9 * * *,\u{A0}limit 3", "0 9 * * * GMT+99", "0 9 * * * +01:00",
    "0 9 * * * ../GMT",
    "0 9 * * *, limit 3\n", "0 9 * * *, until 9999-01-01T00:00:00Z", "cron", "cron ", "", ", limit 3", "\0",
    "0 9 * * * " + String(repeating: "A", count: 100_000), String(repeating: "* ", count: 100_000),
    "*/" + String(repeating: "9", count: 400) + "x * * * *", "0 9 * * *, tolerance 1e400s",
    "0 9 L-99999999999999999999 * *", "0 9 99999999999999999999W * *", "0 9 W * *", "0 9 L- * *", "0 9 * * #",
    "0 9 * * FRI#99999999999999999999", "0 9 * * FRI#-1", "0 9 * * L", "0 9 * * 5L\u{301}",
    "0 9 L-\u{301}3 * *",
    "0 9 * * FRI#\u{301}2", "0 0 9 * * Ｇ", "0 0 9 * * * GMT\0", "0 0 9 * * * *", "0 0 9 * * * GMT GMT", "GMT",
    "0 9 " + String(repeating: "L,", count: 50_000) + " * *",
    "0 9 * * " + String(repeating: "#", count: 100_000),
  ]) func `A text from outside that is no rule is an error, in JSON too`(text: String) throws {
    #expect(throws: (any Error).self) { try TimerSchedule(parsingCron: text) }
    // A rule alone has no options.
    let data = try JSONEncoder().encode([text])
    #expect(throws: DecodingError.self) { try JSONDecoder().decode([CronRule].self, from: data) }
  }

  @Test func `No field for the day of the week is a time zone's name`() {
    let names = CronRule.Field.dayOfWeek.names
    let days = names + names.map { $0.lowercased() } + (0...7).map { "\($0)" }
    for day in days {
      for word in [day, "\(day)L", "\(day)#1", "\(day)-\(day)", "\(day),\(day)"] {
        #expect(TimeZone(identifier: word) == nil, "\(word)")
      }
    }
    #expect(TimeZone(identifier: "*") == nil && TimeZone(identifier: "*/2") == nil)
  }

  @Test func `Dates of a rule before and after the clock's range aren't those of a timer`() throws {
    let rule = try CronRule("@yearly", timeZone: .gmt)
    let start = try Date("1657-06-01T00:00:00Z", strategy: .iso8601)
    #expect(
      rule.dates(after: start).prefix(1).elementsEqual([try Date("1658-01-01T00:00:00Z", strategy: .iso8601)])
    )
    let dates = Array(TimerSchedule.rule(rule).dates(after: start))
    #expect(dates.first == (try Date("1678-01-01T00:00:00Z", strategy: .iso8601)))
    #expect(dates.last == (try Date("2262-01-01T00:00:00Z", strategy: .iso8601)))
    #expect(dates.count == 2262 - 1677)
  }

  @Test func `A rule is encoded with its time zone`() throws {
    let rules = [
      try CronRule("30 9 * * MON-FRI", timeZone: Self.berlin), try CronRule("@daily", timeZone: Self.berlin),
      try CronRule("15 30 9 L-3,1W * 1L,2#5", timeZone: Self.berlin),
    ]
    let data = try JSONEncoder().encode(rules)
    #expect(
      try JSONDecoder().decode([String].self, from: data) == [
        "30 9 * * MON-FRI Europe/Berlin", "@daily Europe/Berlin", "15 30 9 L-3,1W * 1L,2#5 Europe/Berlin",
      ])
    #expect(try JSONDecoder().decode([CronRule].self, from: data) == rules)
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode([CronRule].self, from: Data(#"["0 25 * * *"]"#.utf8))
    }
  }

  @Test func `A rule says its dates ahead`() throws {
    let rule = try CronRule("0 9 29 2 *", timeZone: .gmt)
    let years = rule.dates(after: Date(timeIntervalSinceReferenceDate: 0)).prefix(3).map {
      Calendar(identifier: .gregorian).component(.year, from: $0)
    }
    #expect(years == [2004, 2008, 2012])
    let dates = TimerSchedule.rule(rule).limit(2).dates(after: Date(timeIntervalSinceReferenceDate: 0))
    #expect(dates.elementsEqual(rule.dates(after: Date(timeIntervalSinceReferenceDate: 0)).prefix(2)))
  }
}
