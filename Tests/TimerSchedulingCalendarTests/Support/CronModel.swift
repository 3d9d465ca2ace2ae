import Foundation
import TestSupport

/// A random expression, which knows what it means without having been parsed.
struct CronModel {
  struct Field {
    let text: String
    let values: Set<Int>
    var entries: [CronDayModel] = []
    var isStar: Bool { text.hasPrefix("*") }
  }

  /// Nil in an expression of five fields.
  private(set) var second: Field?
  let minute: Field
  let hour: Field
  private(set) var dayOfMonth: Field
  private(set) var month: Field
  private(set) var dayOfWeek: Field

  private static let months = [
    "jan", "FEB", "Mar", "aPR", "MAY", "jun", "JUL", "AUG", "SEP", "OCT", "NOV", "dec",
  ]
  private static let days = ["SUN", "mon", "Tue", "WED", "thu", "FRI", "sAt"]

  /// Star fields are as likely as the percentage says.
  init(stars: Int, using generator: inout SeededGenerator) {
    minute = Self.field(0...59, stars: stars, using: &generator)
    hour = Self.field(0...23, stars: stars, using: &generator)
    dayOfMonth = Self.field(1...31, stars: stars + 20, using: &generator)
    month = Self.field(1...12, names: Self.months, stars: stars + 40, using: &generator)
    let day = Self.field(0...7, names: Self.days, stars: stars + 20, using: &generator)
    dayOfWeek = Field(text: day.text, values: Set(day.values.map { $0 % 7 }))
  }

  /// Adds what only the day fields may contain.
  mutating func addEntries(using generator: inout SeededGenerator) {
    dayOfMonth = Self.adding(generator.chance(70) ? 1...3 : 0...0, to: dayOfMonth, using: &generator) {
      CronDayModel.ofMonth(using: &$0)
    }
    dayOfWeek = Self.adding(generator.chance(70) ? 1...3 : 0...0, to: dayOfWeek, using: &generator) {
      CronDayModel.ofWeek(Self.days, using: &$0)
    }
  }

  /// Replaces the fields for the days and the months by stars.
  mutating func allowEveryDay() {
    (dayOfMonth, month) = (Field(text: "*", values: Set(1...31)), Field(text: "*", values: Set(1...12)))
    dayOfWeek = Field(text: "*", values: Set(0...6))
  }

  /// Adds a field for the second.
  mutating func addSecond(stars: Int, using generator: inout SeededGenerator) {
    second = Self.field(0...59, stars: stars, using: &generator)
  }

  var text: String {
    ([second, minute, hour, dayOfMonth, month, dayOfWeek] as [Field?]).compactMap(\.?.text).joined(
      separator: " ")
  }

  private static func adding(
    _ count: ClosedRange<Int>, to field: Field, using generator: inout SeededGenerator,
    make: (inout SeededGenerator) -> (String, CronDayModel)
  ) -> Field {
    let added = (0..<Int.random(in: count, using: &generator)).map { _ in make(&generator) }
    let isAlone = !added.isEmpty && !field.isStar && generator.chance(50)
    let text = ((isAlone ? [] : [field.text]) + added.map(\.0)).joined(separator: ",")
    return Field(text: text, values: isAlone ? [] : field.values, entries: added.map(\.1))
  }

  private static func field(
    _ range: ClosedRange<Int>, names: [String] = [], stars: Int, using generator: inout SeededGenerator
  ) -> Field {
    let first = generator.chance(stars) ? star(range, using: &generator) : nil
    var fields = first.map { [$0] } ?? []
    repeat {
      guard first == nil || generator.chance(10) else { break }
      fields.append(item(range, names: names, using: &generator))
    } while generator.chance(40)
    return Field(
      text: fields.map(\.text).joined(separator: ","),
      values: fields.reduce(into: []) { $0.formUnion($1.values) })
  }

  private static func star(_ range: ClosedRange<Int>, using generator: inout SeededGenerator) -> Field {
    guard generator.chance(40) else { return Field(text: "*", values: Set(range)) }
    let step = Int.random(in: 1...2 * range.count, using: &generator)
    // A week has seven days, though there are eight numbers.
    let last = range == 0...7 ? 6 : range.upperBound
    return Field(text: "*/\(step)", values: Set(stride(from: range.lowerBound, through: last, by: step)))
  }

  private static func item(
    _ range: ClosedRange<Int>, names: [String], using generator: inout SeededGenerator
  ) -> Field {
    let bounds = [Int.random(in: range, using: &generator), Int.random(in: range, using: &generator)].sorted()
    let (lower, upper) = (bounds[0], bounds[1])
    switch Int.random(in: 0..<4, using: &generator) {
    case 0:
      return Field(text: "\(lower)-\(upper)", values: Set(lower...upper))
    case 1:
      let step = Int.random(in: 1...2 * range.count, using: &generator)
      return Field(
        text: "\(lower)-\(upper)/\(step)", values: Set(stride(from: lower, through: upper, by: step)))
    case 2 where names.indices.contains(lower - range.lowerBound):
      return Field(text: names[lower - range.lowerBound], values: [lower])
    default:
      return Field(text: "\(lower)", values: [lower])
    }
  }

  // MARK: Dates

  /// Whether the field values allow what a calendar shows.
  func allows(_ date: Date, in calendar: Calendar) -> Bool {
    let shown = calendar.dateComponents([.hour, .minute, .second], from: date)
    guard let second = shown.second, let minute = shown.minute, let hour = shown.hour else { return false }
    return (self.second?.values ?? [0]).contains(second) && self.minute.values.contains(minute)
      && self.hour.values.contains(hour) && allowsDay(date, in: calendar)
  }

  func allowsDay(_ date: Date, in calendar: Calendar) -> Bool {
    let shown = calendar.dateComponents([.month, .day, .weekday], from: date)
    guard let day = shown.day, let month = shown.month, let weekday = shown.weekday,
      self.month.values.contains(month), let days = calendar.range(of: .day, in: .month, for: date)
    else { return false }
    func isEntry(_ entry: CronDayModel) -> Bool {
      entry.allows(day, weekday: weekday - 1, length: days.count)
    }
    let isDay = dayOfMonth.values.contains(day) || dayOfMonth.entries.contains(where: isEntry)
    let isWeekday = dayOfWeek.values.contains(weekday - 1) || dayOfWeek.entries.contains(where: isEntry)
    let isEither = !dayOfMonth.isStar && !dayOfWeek.isStar
    return isEither ? isDay || isWeekday : isDay && isWeekday
  }

  /// The ticks in an interval, found by checking every minute or every second of it.
  ///
  /// The search begins earlier, to know the times that the clock has shown: by two days, or with seconds by
  /// four hours, which is more than these zones' clocks have been set back by since 1970.
  func ticks(after start: Date, through end: Date, in zone: TimeZone) -> [Date] {
    let namesTimes = !minute.isStar && !hour.isStar
    let step: TimeInterval = second == nil ? 60 : 1
    var universal = Calendar(identifier: .gregorian)
    universal.timeZone = .gmt
    var ticks: [Date] = []
    var latest: Date?
    var moment = Date(
      timeIntervalSinceReferenceDate: (start.timeIntervalSinceReferenceDate / 60).rounded(.down) * 60
        - (second == nil ? 2 * 86_400 : 4 * 3600))
    while moment <= end {
      // The reading of a clock in that zone, as a date of Universal Time.
      let shown = moment + Double(zone.secondsFromGMT(for: moment))
      var new = namesTimes ? latest.map { $0 + step } ?? shown : shown
      var isTick = false
      while new <= shown {
        isTick = isTick || (moment > start && allows(new, in: universal))
        new += step
      }
      if isTick { ticks.append(moment) }
      latest = max(latest ?? shown, shown)
      moment += step
    }
    return ticks
  }
}
