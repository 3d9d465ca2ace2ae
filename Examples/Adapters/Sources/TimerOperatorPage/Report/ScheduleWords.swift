/// Says in a sentence what a schedule's text says in short, such as `every 5 m, tolerance 1 s`.
package enum ScheduleWords {
  /// The sentence for a text as `TimerSchedule` describes itself.
  package static func text(for schedule: String) -> String {
    let clauses = schedule.split(separator: ", ").map { String($0) }
    guard let cadence = clauses.first else { return schedule }
    let words = [self.cadence(cadence)] + clauses.dropFirst().map(option)
    let sentence = words.joined(separator: ", ")
    return sentence.prefix(1).uppercased() + sentence.dropFirst() + "."
  }

  private static func cadence(_ clause: String) -> String {
    let (word, rest) = split(clause)
    switch word {
    case "every":
      return rest == "1 s" || rest == "1 m" || rest == "1 h"
        ? "every \(unit(rest))" : "every \(spelled(rest))"
    case "after": return "once, after \(spelled(rest))"
    case "at": return "once, at \(rest)"
    case "cron": return CronWords.text(for: rest)
    case "rule": return "at the dates of the rule \(rest)"
    default: return clause
    }
  }

  private static func option(_ clause: String) -> String {
    let (word, rest) = split(clause)
    switch (word, rest) {
    case ("starting", "aligned"): return "at multiples of that on the wall clock"
    case ("starting", let start) where start.hasPrefix("aligned offset "):
      return "\(parts(split(split(start).rest).rest)) after multiples of that on the wall clock"
    case ("starting", "immediately"): return "beginning at once"
    case ("starting", let start): return "beginning \(spelled(start))"
    case ("tolerance", let time): return "at most \(spelled(time)) late"
    case ("missed", "ticks burst"): return "catching up with every missed tick"
    case ("missed", "ticks delay"): return "counting anew from a late tick"
    case ("limit", "1"): return "for 1 tick"
    case ("limit", let count): return "for \(count) ticks"
    case ("until", let date): return "until \(date)"
    case ("jitter", let time): return "up to \(spelled(time)) later at random"
    default: return clause
    }
  }

  private static func split(_ clause: String) -> (word: String, rest: String) {
    let parts = clause.split(separator: " ", maxSplits: 1).map { String($0) }
    return (parts.first ?? "", parts.count > 1 ? parts[1] : "")
  }

  private static let units = [
    "h": "hour", "m": "minute", "s": "second", "ms": "millisecond", "us": "microsecond", "ns": "nanosecond",
  ]

  /// A time such as `5 m` in words, or what isn't one as it is.
  private static func spelled(_ time: String) -> String {
    let (number, symbol) = split(time)
    guard Int(number) != nil, let unit = units[symbol] else { return time }
    return number == "1" ? "1 \(unit)" : "\(number) \(unit)s"
  }

  /// A time as `spelled`, but one of a second or more in hours, minutes and seconds: those of keys are
  /// microseconds.
  private static func parts(_ time: String) -> String {
    let (number, symbol) = split(time)
    guard let count = Int(number), let second = ["ms": 1_000, "us": 1_000_000][symbol], count >= second else {
      return spelled(time)
    }
    let (seconds, fraction) = count.quotientAndRemainder(dividingBy: second)
    let longer = [(seconds / 3600, "h"), (seconds / 60 % 60, "m")].filter { $0.0 > 0 }
    let last = "\(seconds % 60).\(String(second + fraction).dropFirst()) seconds"
    return (longer.map { spelled("\($0.0) \($0.1)") } + [last]).joined(separator: " ")
  }

  private static func unit(_ time: String) -> String { units[split(time).rest] ?? time }
}
