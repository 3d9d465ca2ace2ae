import Foundation

/// No text and no JSON traps. What is read, and any schedule without a rule, is read again from its
/// description and from its code.
func fuzzTexts(_ input: inout FuzzInput) {
  switch input.number(below: 4) {
  case 0: fuzzText(String(decoding: input.rest(), as: UTF8.self))
  case 1: fuzzText(input.text())
  case 2:
    let data = Data(input.rest())
    if let schedules = try? JSONDecoder().decode([TimerSchedule].self, from: data) {
      for schedule in schedules { fuzzCopies(of: schedule) }
    }
    _ = try? JSONDecoder().decode([CronRule].self, from: data)
  default:
    let schedule = input.schedule()
    if case .rule = schedule.cadence { return }
    fuzzCopies(of: schedule)
  }
}

private func fuzzText(_ text: String) {
  trace(text)
  if let schedule = try? TimerSchedule(parsing: text) { fuzzCopies(of: schedule) }
  if let schedule = try? TimerSchedule(parsingCron: text) {
    let copy = try? TimerSchedule(parsingCron: schedule.description)
    require(copy == schedule, "\(schedule) is read as \(String(describing: copy))")
    if case .rule(let rule as CronRule) = schedule.cadence { fuzzDates(of: rule) }
  }
}

/// The dates in both directions are the same.
private func fuzzDates(of rule: CronRule) {
  let date = Date(timeIntervalSince1970: 1e9)
  guard let next = rule.nextTick(after: date) else { return }
  require(next > date, "\(rule): \(next)")
  guard let previous = rule.previousTick(before: next) else { return }
  require(previous <= date && rule.nextTick(after: previous) == next, "\(rule): \(previous), \(next)")
}

private func fuzzCopies(of schedule: TimerSchedule) {
  do {
    let copy = try TimerSchedule(parsing: schedule.description)
    require(copy == schedule, "\(schedule) is read as \(copy)")
    require(copy.hashValue == schedule.hashValue, "\(schedule) has another hash when it is read")
    let data = try JSONEncoder().encode([schedule])
    let decoded = try JSONDecoder().decode([TimerSchedule].self, from: data)
    require(decoded == [schedule], "\(schedule) is decoded as \(decoded)")
  } catch {
    require(false, "\(error)")
  }
  let dates = Array(schedule.dates(after: Date(timeIntervalSince1970: 1e9)).prefix(3))
  // A tick that is due at once may come a nanosecond before the next, which dates can't tell from each other.
  require(
    zip(dates, dates.dropFirst()).enumerated().allSatisfy { index, pair in
      pair.0 < pair.1 || pair.0 == pair.1 && (index == 0 || schedule.cadence.isFine)
    }, "\(schedule): \(dates)")
}

extension TimerSchedule.Cadence {
  /// Whether dates can't tell the deadlines from each other, which are less than a microsecond apart.
  fileprivate var isFine: Bool {
    switch self {
    case .every(let interval, _): interval.nanoseconds < 1000
    case .countdown, .countdownUntil: true
    case .once, .onceAt, .rule: false
    }
  }
}

extension FuzzInput {
  private static let words = [
    "every ", "after ", "at ", "countdown from ", "countdown until ", " to ", " every ", "cron ",
    ", starting ", "immediately",
    "aligned",
    ", tolerance ", ", missed ticks ", "skip", "burst", "delay", ", limit ", ", until ", ", jitter ",
    ", paused", ", ",
    " ", "-", "+", ".", ":", "T", "Z", "e", "0", "1", "9", "00", "d", "h", "m", "min", "s", "ms", "us", "µs",
    "ns",
    "2026-11-22T09:00:00Z", "2026-02-30T09:00:00Z", "2262-04-11T23:47:16", "1677-09-21T00:12:44", "+01:00",
    "distantFuture", "distantPast", "*", "*/", "@daily", "MON-FRI", "L", "L-3", "LW", "15W", "W", "FRI#2",
    "#", "5L", ",", "Europe/Berlin", "GMT+0130", "127", "128", "-129",
    "255", "256", "32767", "32768", "65535", "65536", "2147483647", "2147483648", "4294967295", "4294967296",
    "9223372036854775807", "9223372036854775808", "-9223372036854775809", "18446744073709551615",
    "18446744073709551616", "170141183460469231731687303715884105727",
    "170141183460469231731687303715884105728",
    "340282366920938463463374607431768211455", "340282366920938463463374607431768211456",
    "99999999999999999999999999999999999999999999999999999999999999", "0.0000000000000000000000000000000001",
    "1e400",
    "٥", "５", "\u{301}", "\u{A0}", "\t", "\n", "\0",
  ]

  /// A text of words that schedules have, and of others that overflow or look like them.
  fileprivate mutating func text() -> String {
    var text = ""
    while !isEmpty { text += Self.words[number(below: Self.words.count)] }
    return text
  }
}
