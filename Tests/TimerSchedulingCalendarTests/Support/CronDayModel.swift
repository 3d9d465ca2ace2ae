import TestSupport

/// An entry of a day field that isn't a value, a range or a step. The days that it allows follow from its
/// definition.
enum CronDayModel {
  case beforeLast(Int)
  case lastWeekday
  case nearest(Int)
  case numbered(weekday: Int, Int)
  case last(weekday: Int)

  /// Whether this is the day of a month of `length` days that falls on `weekday`, 0 for Sunday to 6.
  func allows(_ day: Int, weekday: Int, length: Int) -> Bool {
    func isWorkday(_ other: Int) -> Bool { 1...5 ~= (weekday + other - day + 70) % 7 }
    switch self {
    case .beforeLast(let count): return day + count == length
    case .lastWeekday: return (1...length).last(where: isWorkday) == day
    case .nearest(let wanted):
      guard wanted <= length else { return false }
      return (1...length).filter(isWorkday).min { abs($0 - wanted) < abs($1 - wanted) } == day
    case .numbered(let wanted, let number): return weekday == wanted && (day + 6) / 7 == number
    case .last(let wanted): return weekday == wanted && day + 7 > length
    }
  }

  /// The fields for the days that have one entry alone, each with the entry.
  static let fields: [(String, Self)] = {
    var ofMonth = [("L", Self.beforeLast(0)), ("LW", Self.lastWeekday)]
    ofMonth += (1...30).map { ("L-\($0)", Self.beforeLast($0)) }
    ofMonth += (1...31).map { ("\($0)W", Self.nearest($0)) }
    var ofWeek = (0...6).map { ("\($0)L", Self.last(weekday: $0)) }
    for day in 0...6 { ofWeek += (1...5).map { ("\(day)#\($0)", Self.numbered(weekday: day, $0)) } }
    return ofMonth.map { ("\($0) * *", $1) } + ofWeek.map { ("* * \($0)", $1) }
  }()

  static func ofMonth(using generator: inout SeededGenerator) -> (String, Self) {
    switch Int.random(in: 0..<4, using: &generator) {
    case 0: return (generator.chance(50) ? "L" : "l", .beforeLast(0))
    case 1: return (generator.chance(50) ? "LW" : "lw", .lastWeekday)
    case 2:
      let count = Int.random(in: 1...30, using: &generator)
      return ("L-\(count)", .beforeLast(count))
    default:
      let day = Int.random(in: 1...31, using: &generator)
      return ("\(day)W", .nearest(day))
    }
  }

  static func ofWeek(_ names: [String], using generator: inout SeededGenerator) -> (String, Self) {
    let day = Int.random(in: 0...7, using: &generator)
    let text = generator.chance(50) ? names[day % 7] : "\(day)"
    if generator.chance(30) { return (text + "L", .last(weekday: day % 7)) }
    let number = Int.random(in: 1...5, using: &generator)
    return ("\(text)#\(number)", .numbered(weekday: day % 7, number))
  }
}
