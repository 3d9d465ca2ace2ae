import Foundation
import TestSupport

/// A random expression, which knows what it means without having been parsed.
struct CronModel {
  struct Field {
    let text: String
    let values: Set<Int>
    var isStar: Bool { text.hasPrefix("*") }
  }

  let minute: Field
  let hour: Field
  let dayOfMonth: Field
  let month: Field
  let dayOfWeek: Field

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

  var text: String {
    [minute, hour, dayOfMonth, month, dayOfWeek].map(\.text).joined(separator: " ")
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
  func allows(_ shown: DateComponents) -> Bool {
    guard let minute = shown.minute, let hour = shown.hour else { return false }
    return self.minute.values.contains(minute) && self.hour.values.contains(hour) && allowsDay(shown)
  }

  func allowsDay(_ shown: DateComponents) -> Bool {
    guard let day = shown.day, let month = shown.month, let weekday = shown.weekday else { return false }
    let isDay = dayOfMonth.values.contains(day)
    let isWeekday = dayOfWeek.values.contains(weekday - 1)
    let isEither = !dayOfMonth.isStar && !dayOfWeek.isStar
    return self.month.values.contains(month) && (isEither ? isDay || isWeekday : isDay && isWeekday)
  }

  /// The ticks in an interval, found by checking every minute of it.
  ///
  /// The search begins two days before, to know the times that the clock has shown.
  func ticks(after start: Date, through end: Date, in zone: TimeZone) -> [Date] {
    let namesTimes = !minute.isStar && !hour.isStar
    var universal = Calendar(identifier: .gregorian)
    universal.timeZone = .gmt
    let parts: Set<Calendar.Component> = [.month, .day, .weekday, .hour, .minute]
    var ticks: [Date] = []
    var latest: Date?
    var moment = Date(
      timeIntervalSinceReferenceDate: (start.timeIntervalSinceReferenceDate / 60).rounded(.down) * 60
        - 2 * 86_400)
    while moment <= end {
      // The reading of a clock in that zone, as a date of Universal Time.
      let shown = moment + Double(zone.secondsFromGMT(for: moment))
      var new = namesTimes ? latest.map { $0 + 60 } ?? shown : shown
      var isTick = false
      while new <= shown {
        isTick = isTick || (moment > start && allows(universal.dateComponents(parts, from: new)))
        new += 60
      }
      if isTick { ticks.append(moment) }
      latest = max(latest ?? shown, shown)
      moment += 60
    }
    return ticks
  }
}
