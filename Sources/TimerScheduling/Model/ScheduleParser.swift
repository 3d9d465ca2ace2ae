#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A parser of schedules written as text.
package struct ScheduleParser {
  private let text: String
  /// The part of the text that hasn't been read.
  private var rest: Substring

  /// Creates a parser that reads from `start`, or from the beginning.
  package init(_ text: String, from start: String.Index? = nil) {
    self.text = text
    rest = text[(start ?? text.startIndex)...]
    skipBlanks()
  }

  package mutating func schedule() throws(TimerScheduleError) -> TimerSchedule {
    try options(of: TimerSchedule(cadence: try cadence()))
  }

  // MARK: Clauses

  private mutating func cadence() throws(TimerScheduleError) -> TimerSchedule.Cadence {
    let beginning = rest
    switch word() {
    case "every":
      let interval = try duration()
      guard interval > .zero else { throw .notPositive(0) }
      return .every(interval, starting: .afterInterval)
    case "after": return .once(after: try duration())
    case "at": return .onceAt(try date())
    case "cron":
      throw unexpected(
        "\"every\", \"after\" or \"at\" (TimerSchedule(parsingCron:) reads cron rules)", at: beginning)
    default:
      throw unexpected("\"every\", \"after\" or \"at\"", at: beginning)
    }
  }

  /// Reads the options that follow a schedule, each after a comma, to the end of the text.
  package mutating func options(of schedule: TimerSchedule) throws(TimerScheduleError) -> TimerSchedule {
    var schedule = schedule
    var seen: Set<String> = []
    while !rest.isEmpty {
      guard rest.first == "," else { throw unexpected("a comma or the end") }
      rest.removeFirst()
      skipBlanks()
      let beginning = rest
      let name = word()
      guard seen.insert(name).inserted else {
        throw unexpected("an option that isn't there yet", at: beginning)
      }
      switch name {
      case "starting":
        guard case .every(let interval, _) = schedule.cadence else {
          throw unexpected("an option of a schedule that doesn't repeat at an interval", at: beginning)
        }
        schedule.cadence = .every(interval, starting: try start())
      case "tolerance": schedule.options.tolerance = try duration()
      case "missed": schedule.options.missedTicks = try missedTicks()
      case "limit": schedule.options.limit = try count()
      case "until": schedule.options.until = Deadline(try date())
      case "jitter": schedule.options.jitter = try duration()
      case "paused": schedule.options.isPaused = true
      default:
        throw unexpected(
          "\"starting\", \"tolerance\", \"missed ticks\", \"limit\", \"until\", \"jitter\" or \"paused\"",
          at: beginning)
      }
    }
    return schedule
  }

  private mutating func start() throws(TimerScheduleError) -> TimerSchedule.Start {
    let beginning = rest
    switch word() {
    case "immediately": return .immediately
    case "aligned": return .aligned
    case "after": return .after(try duration().duration)
    case "at": return .at(try date())
    default:
      throw unexpected("\"immediately\", \"aligned\", \"after\" or \"at\"", at: beginning)
    }
  }

  private mutating func missedTicks() throws(TimerScheduleError) -> MissedTickBehavior {
    var beginning = rest
    guard word() == "ticks" else {
      throw unexpected("\"ticks\"", at: beginning)
    }
    beginning = rest
    switch word() {
    case "skip": return .skip
    case "burst": return .burst
    case "delay": return .delay
    default:
      throw unexpected("\"skip\", \"burst\" or \"delay\"", at: beginning)
    }
  }

  // MARK: Values

  private mutating func count() throws(TimerScheduleError) -> Int {
    let beginning = rest
    let digits = take { $0.isDigit }
    guard let count = Int(digits) else {
      throw unexpected("a whole number up to \(Int.max)", at: beginning)
    }
    skipBlanks()
    return count
  }

  /// Reads one or more numbers with units.
  private mutating func duration() throws(TimerScheduleError) -> Interval {
    var sum: Int128 = 0
    repeat { sum += try number() } while rest.first?.isDigit == true
    return Interval(nanoseconds: Int64(clamping: sum))
  }

  /// Reads a number with a unit. Returns nanoseconds: at least one, unless the number is zero.
  private mutating func number() throws(TimerScheduleError) -> Int128 {
    let whole = take { $0.isDigit }
    guard !whole.isEmpty else { throw unexpected("a number with a unit of time") }
    var fraction = ""
    if rest.first == "." {
      rest.removeFirst()
      fraction = take { $0.isDigit }
      guard !fraction.isEmpty else { throw unexpected("a digit") }
    }
    skipBlanks()
    let unit = try unit()
    // Further digits would be beyond every interval, or below a nanosecond.
    let count = Int128(whole.drop { $0 == "0" }.prefix(20)) ?? 0
    let digits = fraction.prefix(17)
    let scale = (0..<digits.count).reduce(into: Int128(1)) { scale, _ in scale *= 10 }
    let part = (Int128(digits) ?? 0) * unit
    let rounded = (part + scale / 2) / scale
    let isTiny = count == 0 && rounded == 0 && fraction.contains { $0 != "0" }
    return count * unit + (isTiny ? 1 : rounded)
  }

  private mutating func unit() throws(TimerScheduleError) -> Int128 {
    let beginning = rest
    switch word() {
    case "d": return 86_400_000_000_000
    case "h": return 3_600_000_000_000
    case "m", "min": return 60_000_000_000
    case "s": return 1_000_000_000
    case "ms": return 1_000_000
    case "us", "µs", "μs": return 1_000
    case "ns": return 1
    default:
      throw unexpected("a unit of time (d, h, m, s, ms, us or ns)", at: beginning)
    }
  }

  /// Reads a date in ISO 8601, with any number of digits after the seconds.
  private mutating func date() throws(TimerScheduleError) -> Date {
    let beginning = rest
    let written = take { $0 != "," && !$0.isWhitespace }
    skipBlanks()
    switch written {
    case "distantFuture": return .distantFuture
    case "distantPast": return .distantPast
    default: break
    }
    let (time, fraction) = Self.withoutFraction(written)
    guard let date = try? Date(time, strategy: .iso8601), let fraction else {
      throw unexpected("a date such as 2026-11-22T09:00:00Z", at: beginning)
    }
    return Date(Deadline(date) + fraction)
  }

  /// Splits a date into its text without the fraction and the fraction, which is nil if it isn't a number.
  private static func withoutFraction(_ date: String) -> (String, Interval?) {
    guard let point = date.firstIndex(of: ".") else { return (date, .zero) }
    let digits = date[date.index(after: point)...].prefix { $0.isDigit }
    let time = date[..<point] + date[digits.endIndex...]
    let nanoseconds = Int64(digits.prefix(9) + repeatElement("0", count: max(0, 9 - digits.count)))
    return (String(time), digits.isEmpty ? nil : nanoseconds.map { Interval(nanoseconds: $0) })
  }

  // MARK: Characters

  private mutating func skipBlanks() {
    rest = rest.drop { $0.isWhitespace }
  }

  private mutating func take(while isSo: (Character) -> Bool) -> String {
    let taken = rest.prefix(while: isSo)
    rest = rest[taken.endIndex...]
    return String(taken)
  }

  /// Reads letters, and skips the blanks after them.
  private mutating func word() -> String {
    let word = take { $0.isLetter }
    skipBlanks()
    return word
  }

  /// Returns the error that the text at `place`, or at the present position, isn't the expected one.
  private func unexpected(_ expected: String, at place: Substring? = nil) -> TimerScheduleError {
    let index = (place ?? rest).startIndex
    return .unreadable(text, offset: text.distance(from: text.startIndex, to: index), expected: expected)
  }
}

extension Character {
  fileprivate var isDigit: Bool { "0"..."9" ~= self }
}
