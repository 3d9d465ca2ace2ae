import TimerSchedulingFoundation

/// Reads schedules from text, by its bytes: a `Character` may be a digit with a mark or of another script.
package struct ScheduleParser {
  private let text: String
  private var rest: Substring.UTF8View
  /// The beginning of what was read last, which an error names.
  private var beginning: Substring.UTF8View

  package init(_ text: String, from start: String.Index? = nil) {
    self.text = text
    rest = text[(start ?? text.startIndex)...].utf8
    beginning = rest
    skipBlanks()
  }

  mutating func cadence() throws(TimerScheduleError) -> TimerSchedule.Cadence {
    switch word() {
    case "every": return .every(try interval(), starting: .afterInterval)
    case "after": return .once(after: Interval(try duration()))
    case "at": return .onceAt(try date())
    case "countdown": return try countdown()
    case let other:
      let hint = other == "cron" ? " (TimerSchedule(parsingCron:) reads cron rules)" : ""
      throw unexpected("\"every\", \"after\" or \"at\"\(hint)")
    }
  }

  /// Reads the options that follow a schedule, each after a comma, to the end of the text.
  package mutating func options(of schedule: TimerSchedule) throws(TimerScheduleError) -> TimerSchedule {
    var schedule = schedule
    var seen: Set<String> = []
    while !rest.isEmpty {
      beginning = rest
      guard rest.removeFirst() == UInt8(ascii: ",") else { throw unexpected("a comma or the end") }
      skipBlanks()
      let name = word()
      guard seen.insert(name).inserted else { throw unexpected("an option that isn't there yet") }
      switch name {
      case "starting":
        guard case .every(let interval, _) = schedule.cadence else {
          throw unexpected("an option of a schedule that doesn't repeat at an interval")
        }
        schedule.cadence = .every(interval, starting: try start().bound(to: interval))
      case "tolerance": schedule.options.tolerance = Interval(try duration())
      case "missed": schedule.options.missedTicks = try missedTicks()
      case "limit":
        let digits = take(while: \.isDigit)
        guard let count = Int(digits) else { throw unexpected("a whole number up to \(Int.max)") }
        schedule.options.limit = count
        skipBlanks()
      case "until": schedule.options.until = Deadline(try date())
      case "jitter": schedule.options.jitter = Interval(try duration())
      case "paused": schedule.options.isPaused = true
      default:
        throw unexpected(
          "\"starting\", \"tolerance\", \"missed ticks\", \"limit\", \"until\", \"jitter\" or \"paused\"")
      }
    }
    return schedule
  }

  private mutating func start() throws(TimerScheduleError) -> TimerSchedule.Start {
    switch word() {
    case "immediately": return .immediately
    case "aligned":
      if rest.isEmpty || rest.first == UInt8(ascii: ",") { return .aligned }
      guard word() == "offset" else { throw unexpected("\"offset\", a comma or the end") }
      return .aligned(offset: try duration(isSigned: true))
    case "after": return .after(Interval(try duration()).duration)
    case "at": return .at(try date(isStart: true))
    default: throw unexpected("\"immediately\", \"aligned\", \"after\" or \"at\"")
    }
  }

  private mutating func countdown() throws(TimerScheduleError) -> TimerSchedule.Cadence {
    let form = word()
    if form == "until" {
      let date = try date()
      try expect("every")
      return .countdownUntil(date, every: try interval())
    }
    guard form == "from" else { throw unexpected("\"from\" or \"until\"") }
    let start = try duration(isSigned: true)
    try expect("to")
    let end = try duration(isSigned: true)
    try expect("every")
    return .countdown(CountdownScale(from: start, to: end, every: try interval().duration))
  }

  private mutating func missedTicks() throws(TimerScheduleError) -> MissedTickBehavior {
    try expect("ticks")
    switch word() {
    case "skip": return .skip
    case "burst": return .burst
    case "delay": return .delay
    default: throw unexpected("\"skip\", \"burst\" or \"delay\"")
    }
  }

  // MARK: Values

  private mutating func interval() throws(TimerScheduleError) -> Interval {
    let interval = Interval(try duration())
    guard interval > .zero else { throw .notPositive(0) }
    return interval
  }

  /// Reads one or more numbers with units, which are added. The sum saturates.
  private mutating func duration(isSigned: Bool = false) throws(TimerScheduleError) -> Duration {
    let isNegative = isSigned && rest.first == UInt8(ascii: "-")
    if isNegative { rest.removeFirst() }
    var sum: UInt128 = 0
    repeat { sum = sum.addingSaturated(try number()) } while rest.first?.isDigit == true
    let magnitude = Int128(clamping: sum)
    return Duration(attoseconds: !isNegative ? magnitude : sum > magnitude.magnitude ? .min : -magnitude)
  }

  /// Reads a number with a unit. Returns attoseconds: at least one, unless the number is zero.
  private mutating func number() throws(TimerScheduleError) -> UInt128 {
    let whole = take(while: \.isDigit).utf8
    guard !whole.isEmpty else { throw unexpected("a number with a unit of time") }
    var fraction = whole.prefix(0)
    if rest.first == UInt8(ascii: ".") {
      rest.removeFirst()
      fraction = take(while: \.isDigit).utf8
      guard !fraction.isEmpty else { throw unexpected("a digit") }
    }
    skipBlanks()
    let name = take { UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 | 0x20 || $0 > 0x7F }
    skipBlanks()
    guard var place = Duration.units.first(where: { $0.name == name })?.attoseconds else {
      throw unexpected("a unit of time (d, h, m, s, ms, us or ns)")
    }
    var sum: UInt128 = 0
    for digit in whole {
      sum = sum.multipliedSaturated(by: 10).addingSaturated(UInt128(digit.digitValue))
    }
    sum = sum.multipliedSaturated(by: place)
    for digit in fraction {
      place /= 10
      sum = sum.addingSaturated(UInt128(digit.digitValue) * place)
    }
    return sum == 0 && fraction.contains { $0.digitValue > 0 } ? 1 : sum
  }

  /// Reads a date. That of a start may lie before the clock's range, as it only sets the cadence.
  private mutating func date(isStart: Bool = false) throws(TimerScheduleError) -> Date {
    let written = word()
    if written == "distantFuture" { return .distantFuture }
    if written == "distantPast" { return .distantPast }
    guard let date = WrittenDate(written).map({ Date(nanosecondsSince1970: $0.nanoseconds) }) else {
      throw unexpected("a date such as 2026-11-22T09:00:00Z or 2026-11-22T10:00:00+01:00")
    }
    guard isStart || Deadline(date) > .past, Deadline(date) < .never else {
      throw unexpected("a date from 1677-09-21T00:12:44Z to 2262-04-11T23:47:16Z")
    }
    return date
  }

  private mutating func skipBlanks() { rest = rest.drop { $0 == UInt8(ascii: " ") } }

  private mutating func take(while isSo: (UInt8) -> Bool) -> Substring {
    beginning = rest
    let taken = rest.prefix(while: isSo)
    rest = rest[taken.endIndex...]
    return Substring(taken)
  }

  /// Reads the text up to the next blank or comma, and skips blanks.
  private mutating func word() -> String {
    let word = take { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: ",") }
    skipBlanks()
    return String(word)
  }

  private mutating func expect(_ expected: String) throws(TimerScheduleError) {
    guard word() == expected else { throw unexpected("\"\(expected)\"") }
  }

  private func unexpected(_ expected: String) -> TimerScheduleError {
    let offset = text.distance(from: text.startIndex, to: beginning.startIndex)
    return .unreadable(text, offset: offset, expected: expected)
  }
}
