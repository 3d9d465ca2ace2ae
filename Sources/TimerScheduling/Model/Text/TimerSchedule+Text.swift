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
  /// Of schedules with a rule, only those of a `CronRule` can be read back, with the calendar product.
  public var description: String {
    let clauses: [String?] = [
      cadence.text,
      options.tolerance.map { "tolerance \($0.duration.text)" },
      options.missedTicks == .burst ? "missed ticks burst" : nil,
      options.missedTicks == .delay ? "missed ticks delay" : nil,
      options.limit.map { "limit \($0)" },
      options.until.map { "until \($0.text)" },
      options.jitter == .zero ? nil : "jitter \(options.jitter.duration.text)",
      options.isPaused ? "paused" : nil,
    ]
    return clauses.compactMap(\.self).joined(separator: ", ")
  }

  /// Reads a schedule from text, such as a line of a configuration file.
  ///
  /// ``TimerSchedule`` has the grammar. A ``description`` is read as an equal schedule, except for rules: the
  /// calendar product's `TimerSchedule(parsingCron:)` reads cron rules. Any other text is an error.
  ///
  /// ```swift
  /// start(try TimerSchedule(parsing: "every 5 m, tolerance 1 s, limit 3"))
  /// ```
  ///
  /// - Throws: ``TimerScheduleError`` that says where the text is wrong, or that an interval is zero.
  /// - Complexity: O(*n*) in the length of the text.
  public init(parsing text: String) throws(TimerScheduleError) {
    var parser = ScheduleParser(text)
    self = try parser.options(of: TimerSchedule(cadence: parser.cadence()))
  }
}

extension TimerSchedule: Codable {
  /// Encodes the schedule as its ``description``.
  ///
  /// - Throws: `EncodingError` for a schedule with a rule, which can't be decoded: encode the rule instead.
  public func encode(to encoder: any Encoder) throws {
    if case .rule(let rule) = cadence {
      let description = "A schedule by a rule can't be encoded, but \(type(of: rule)) was given."
      throw EncodingError.invalidValue(
        self, .init(codingPath: encoder.codingPath, debugDescription: description))
    }
    try description.encode(to: encoder)
  }

  /// Decodes a schedule from text, as ``init(parsing:)`` reads it.
  public init(from decoder: any Decoder) throws {
    let text = try String(from: decoder)
    do {
      try self.init(parsing: text)
    } catch {
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: error.description))
    }
  }
}

extension TimerSchedule.Cadence {
  fileprivate var text: String {
    switch self {
    case .once(let delay): "after \(delay.duration.text)"
    case .onceAt(let date): "at \(Deadline(date).text)"
    case .every(let interval, let start): "every \(interval.duration.text)\(start.clause)"
    case .countdown(let scale):
      "countdown from \(scale.start.text) to \(scale.end.text) every \(scale.step.duration.text)"
    case .countdownUntil(let date, let step):
      "countdown until \(Deadline(date).text) every \(step.duration.text)"
    case .rule(let rule): rule is any WrittenRule ? rule.text : "rule \(rule.text)"
    }
  }
}

extension TimerSchedule.Start.Form {
  fileprivate var clause: String {
    switch self {
    case .afterInterval: ""
    case .immediately: ", starting immediately"
    case .after(let delay): ", starting after \(delay.text)"
    case .at(let date): ", starting at \(WrittenDate(nanoseconds: date.cadenceOrigin).text)"
    case .aligned(.zero): ", starting aligned"
    case .aligned(let offset): ", starting aligned offset \(offset.text)"
    }
  }
}

extension Duration {
  /// The units that are read, and their attoseconds. A text has the first after days that divides it.
  static let units: [(name: String, attoseconds: UInt128)] = [
    ("d", 86_400_000_000_000_000_000_000), ("h", 3_600_000_000_000_000_000_000),
    ("m", 60_000_000_000_000_000_000), ("s", 1_000_000_000_000_000_000), ("ms", 1_000_000_000_000_000),
    ("us", 1_000_000_000_000), ("ns", 1_000_000_000), ("min", 60_000_000_000_000_000_000),
    // The micro sign and the Greek letter.
    ("\u{B5}s", 1_000_000_000_000), ("\u{3BC}s", 1_000_000_000_000),
  ]

  /// The exact duration, such as `90 s`.
  var text: String {
    let (sign, magnitude) = (attoseconds < 0 ? "-" : "", attoseconds.magnitude)
    if magnitude == 0 { return "0 s" }
    for unit in Self.units.dropFirst() where magnitude.isMultiple(of: unit.attoseconds) {
      return "\(sign)\(magnitude / unit.attoseconds) \(unit.name)"
    }
    let (whole, fraction) = magnitude.quotientAndRemainder(dividingBy: 1_000_000_000)
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

extension Deadline {
  fileprivate var text: String {
    self == .past ? "distantPast" : WrittenDate(nanoseconds: Int128(nanoseconds)).text
  }
}
