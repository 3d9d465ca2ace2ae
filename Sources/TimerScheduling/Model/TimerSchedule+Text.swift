import TimerSchedulingFoundation

/// A rule with a text form in schedules, such as `cron 30 9 * * * Europe/Berlin`.
package protocol WrittenRule: TickRule {
  var scheduleText: String { get }
}

extension TickRule {
  /// The rule's text in schedules, or else its description.
  package var text: String { (self as? any WrittenRule)?.scheduleText ?? "\(self)" }
}

extension TimerSchedule: CustomStringConvertible {
  /// The schedule as text that ``init(parsing:)`` reads, such as `every 5 m, tolerance 1 s, limit 3`.
  ///
  /// The text of a schedule with a rule can be read back only if the rule is a `CronRule`, with the calendar product.
  public var description: String {
    var clauses: [String] = []
    switch cadence {
    case .once(let delay): clauses.append("after \(delay.text)")
    case .onceAt(let date): clauses.append("at \(Deadline(date).text)")
    case .every(let interval, let start):
      clauses.append("every \(interval.text)")
      switch start {
      case .afterInterval: break
      case .immediately: clauses.append("starting immediately")
      case .after(let delay): clauses.append("starting after \(Interval(delay).text)")
      case .at(let date): clauses.append("starting at \(WrittenDate(nanoseconds: date.cadenceOrigin).text)")
      case .aligned(.zero): clauses.append("starting aligned")
      case .aligned(let offset): clauses.append("starting aligned offset \(offset.text)")
      }
    case .countdown(let scale):
      clauses.append("countdown from \(scale.start.text) to \(scale.end.text) every \(scale.step.text)")
    case .countdownUntil(let date, let step):
      clauses.append("countdown until \(Deadline(date).text) every \(step.text)")
    case .rule(let rule): clauses.append(rule is any WrittenRule ? rule.text : "rule \(rule.text)")
    }
    if let tolerance = options.tolerance { clauses.append("tolerance \(tolerance.text)") }
    switch options.missedTicks {
    case .skip: break
    case .burst: clauses.append("missed ticks burst")
    case .delay: clauses.append("missed ticks delay")
    }
    if let limit = options.limit { clauses.append("limit \(limit)") }
    if let until = options.until { clauses.append("until \(until.text)") }
    if options.jitter > .zero { clauses.append("jitter \(options.jitter.text)") }
    if options.isPaused { clauses.append("paused") }
    return clauses.joined(separator: ", ")
  }

  /// Reads a schedule from text, such as a line of a configuration file.
  ///
  /// ``TimerSchedule`` has the grammar. The text of ``description`` is read back as an equal schedule, except for rules:
  /// `TimerSchedule(parsingCron:)` of the calendar product reads cron rules. Any other text is an error.
  ///
  /// ```swift
  /// start(try TimerSchedule(parsing: "every 5 m, tolerance 1 s, limit 3"))
  /// ```
  ///
  /// - Throws: ``TimerScheduleError`` that names the place where the text is wrong, or says that an interval is zero.
  /// - Complexity: O(*n*) in the length of the text.
  public init(parsing text: String) throws(TimerScheduleError) {
    var parser = ScheduleParser(text)
    self = try parser.schedule()
  }
}

extension TimerSchedule: Codable {
  /// Encodes the schedule as its ``description``.
  ///
  /// - Throws: `EncodingError` for a schedule with a rule, which couldn't be decoded: encode the rule instead.
  public func encode(to encoder: any Encoder) throws {
    if case .rule(let rule) = cadence {
      throw EncodingError.invalidValue(
        self,
        EncodingError.Context(
          codingPath: encoder.codingPath,
          debugDescription: "A schedule by a rule can't be encoded, but \(type(of: rule)) was given."))
    }
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }

  /// Decodes a schedule from text, as ``init(parsing:)`` reads it.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    do {
      try self.init(parsing: text)
    } catch {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: error.description)
    }
  }
}

struct TimeUnit {
  let name: String
  let attoseconds: UInt128

  /// Each unit with the name that is printed and, at the end, the other names that are read.
  static let all = [
    TimeUnit(name: "d", attoseconds: 86_400_000_000_000_000_000_000),
    TimeUnit(name: "h", attoseconds: 3_600_000_000_000_000_000_000),
    TimeUnit(name: "m", attoseconds: 60_000_000_000_000_000_000),
    TimeUnit(name: "s", attoseconds: 1_000_000_000_000_000_000),
    TimeUnit(name: "ms", attoseconds: 1_000_000_000_000_000),
    TimeUnit(name: "us", attoseconds: 1_000_000_000_000),
    TimeUnit(name: "ns", attoseconds: nanosecond),
    TimeUnit(name: "min", attoseconds: 60_000_000_000_000_000_000),
    // The micro sign and the Greek letter.
    TimeUnit(name: "\u{B5}s", attoseconds: 1_000_000_000_000),
    TimeUnit(name: "\u{3BC}s", attoseconds: 1_000_000_000_000),
  ]
  static let nanosecond: UInt128 = 1_000_000_000
}

extension Duration {
  /// The exact duration as a number of the longest unit up to hours that divides it, such as `90 s`.
  var text: String {
    let sign = attoseconds < 0 ? "-" : ""
    let magnitude = attoseconds.magnitude
    if magnitude == 0 { return "0 s" }
    for unit in TimeUnit.all.dropFirst() where magnitude % unit.attoseconds == 0 {
      return "\(sign)\(magnitude / unit.attoseconds) \(unit.name)"
    }
    let (whole, fraction) = magnitude.quotientAndRemainder(dividingBy: TimeUnit.nanosecond)
    return "\(sign)\(whole)\(fractionText(ofBillionths: Int(fraction))) ns"
  }
}

/// Returns a point and the digits of a number of billionths, without zeros at the end. It is empty for zero.
func fractionText(ofBillionths count: Int) -> String {
  guard count > 0 else { return "" }
  var digits = String(1_000_000_000 + count).dropFirst()
  while digits.hasSuffix("0") { digits.removeLast() }
  return ".\(digits)"
}

extension Interval {
  fileprivate var text: String { duration.text }
}

extension Deadline {
  fileprivate var text: String {
    self == .past ? "distantPast" : WrittenDate(nanoseconds: Int128(nanoseconds)).text
  }
}
