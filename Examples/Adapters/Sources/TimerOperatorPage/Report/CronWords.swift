/// Says in words on which dates a cron rule ticks, for the rules that are common.
enum CronWords {
  /// The words for an expression that may be followed by a time zone, such as
  /// `30 9 * * MON-FRI Europe/Berlin`.
  static func text(for rule: String) -> String {
    let words = rule.split(separator: " ").map { String($0) }
    if let first = words.first, first.hasPrefix("@") {
      return (shorthands[first] ?? "by the rule \(first)") + zone(words.dropFirst())
    }
    // Six fields and a time zone begin with a second.
    let fields = words.count == 7 && words[0] == "0" ? words.dropFirst().map { $0 } : words
    guard 5...6 ~= fields.count, isPlain(dayOfMonth: fields[2], dayOfWeek: fields[4]),
      let time = time(minute: fields[0], hour: fields[1])
    else { return "by the rule \(rule)" }
    var text = time
    if fields[2] != "*" { text += ", on day \(fields[2]) of the month" }
    if fields[3] != "*" { text += ", in month \(fields[3])" }
    if fields[4] != "*" { text += (fields[2] == "*" ? ", on " : ", or on ") + days(fields[4]) }
    return text + zone(fields.dropFirst(5))
  }

  /// Whether the day fields have no last, nearest or counted days.
  private static func isPlain(dayOfMonth: String, dayOfWeek: String) -> Bool {
    !dayOfMonth.contains { $0.isLetter } && !dayOfWeek.contains("#")
      && !dayOfWeek.split(separator: ",").contains { $0.hasSuffix("L") || $0.hasSuffix("l") }
  }

  private static let shorthands = [
    "@hourly": "every hour, on the hour", "@daily": "every day at 00:00", "@midnight": "every day at 00:00",
    "@weekly": "every Sunday at 00:00", "@monthly": "on the first of each month at 00:00",
    "@yearly": "on January 1 at 00:00", "@annually": "on January 1 at 00:00",
  ]

  private static func zone(_ words: ArraySlice<String>) -> String {
    words.first.map { " (\($0))" } ?? ""
  }

  private static func time(minute: String, hour: String) -> String? {
    if minute == "*", hour == "*" { return "every minute" }
    if hour == "*", minute.hasPrefix("*/"), let step = Int(minute.dropFirst(2)) {
      return "every \(step) minutes"
    }
    if hour == "*", let minute = twoDigits(minute) { return "every hour at minute \(minute)" }
    guard let minute = twoDigits(minute) else { return nil }
    if hour.hasPrefix("*/"), let step = Int(hour.dropFirst(2)) {
      return "every \(step) hours at minute \(minute)"
    }
    let hours = hour.split(separator: ",").map { twoDigits(String($0)) }
    let times = hours.compactMap { $0.map { "\($0):\(minute)" } }
    return times.count == hours.count ? "at " + times.joined(separator: " and ") : nil
  }

  private static func twoDigits(_ text: String) -> String? {
    Int(text).map { $0 < 10 ? "0\($0)" : "\($0)" }
  }

  private static let names = [
    "0": "Sunday", "1": "Monday", "2": "Tuesday", "3": "Wednesday", "4": "Thursday", "5": "Friday",
    "6": "Saturday",
    "7": "Sunday", "SUN": "Sunday", "MON": "Monday", "TUE": "Tuesday", "WED": "Wednesday", "THU": "Thursday",
    "FRI": "Friday", "SAT": "Saturday",
  ]

  private static func days(_ field: String) -> String {
    field.uppercased().split(separator: ",").map { part in
      part.split(separator: "-").map { names[String($0)] ?? String($0) }.joined(separator: " to ")
    }.joined(separator: " and ")
  }
}
