public import Foundation
public import TimerScheduling

extension CronRule: WrittenRule {
  /// The rule's text, which ``TimerSchedule/init(parsingCron:)`` reads.
  package var scheduleText: String { "cron \(text)" }

  /// The expression, with single blanks between fields, and the time zone.
  private var text: String {
    (expression.split(whereSeparator: \.isBlank) + [timeZone.identifier[...]]).joined(separator: " ")
  }

  /// Reads an expression, optionally followed by the identifier of a time zone.
  ///
  /// A last word that names a time zone isn't a field. No field for the day of the week is a time zone's
  /// name.
  fileprivate init(text: Substring) throws(CronRuleError) {
    let words = text.split(whereSeparator: \.isBlank).map(String.init)
    let (expression, last) = (words.dropLast().joined(separator: " "), words.last ?? "")
    if words.count > 1, let timeZone = Self.timeZone(last) {
      try self.init(expression, timeZone: timeZone)
      return
    }
    do throws(CronRuleError) {
      try self.init(words.joined(separator: " "))
    } catch {
      guard Self.isZone(last, after: words.dropLast()) else { throw error }
      throw CronRuleError(.unknownTimeZone, in: String(text), part: last)
    }
  }

  private static func timeZone(_ identifier: String) -> TimeZone? {
    // An identifier with a control character would be read up to there.
    identifier.utf8.allSatisfy { 0x21...0x7E ~= $0 } ? TimeZone(identifier: identifier) : nil
  }

  /// Whether a word is meant to name a time zone, though there is none of that name.
  private static func isZone(_ word: String, after fields: ArraySlice<String>) -> Bool {
    if fields.first?.hasPrefix("@") == true { return fields.count == 1 }
    if word.contains(":") { return 5...6 ~= fields.count }
    guard word.first?.isLetter == true else { return false }
    return fields.count == 6 || fields.count == 5 && !isDayOfWeek(word)
  }

  /// Whether a word is meant as a field for the day of the week, perhaps with its days written out.
  private static func isDayOfWeek(_ word: String) -> Bool {
    let days = ["SUNDAY", "MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY"]
    return word.uppercased().split { !$0.isLetter }.allSatisfy { name in
      name == "L" || days.contains { $0.hasPrefix(name) || $0.prefix(3) + "L" == name }
    }
  }
}

extension CronRule: Codable {
  /// Encodes the rule as text: its expression and its time zone, as in `30 9 * * MON-FRI Europe/Berlin`.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }

  /// Decodes a rule from text: five or six fields or a word that begins with @, optionally followed by the
  /// identifier of a time zone. Without an identifier, the rule uses the system's present time zone.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)[...]
    do {
      try self.init(text: text)
    } catch {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: error.description)
    }
  }
}

extension TimerSchedule {
  /// Reads a schedule with a cron rule from text, such as a line of a configuration file.
  ///
  /// The text is a cron expression, optionally followed by the identifier of a time zone. The word `cron` may
  /// precede it, and options may follow it, as `TimerSchedule(parsing:)` reads them. Without a time zone, the
  /// rule uses the system's present one.
  ///
  /// ```swift
  /// let schedule = try TimerSchedule(parsingCron: "30 9 * * MON-FRI Europe/Berlin, limit 10")
  /// print(schedule)
  /// ```
  /// ```text
  /// cron 30 9 * * MON-FRI Europe/Berlin, limit 10
  /// ```
  ///
  /// - Throws: A ``CronRuleError`` or a `TimerScheduleError` that names the wrong part and the allowed
  ///   values.
  /// - Complexity: O(*n*) in the length of the text.
  public init(parsingCron text: String) throws {
    let options = text.indices.first { text[$0] == "," && Self.isBlank(text, after: $0) } ?? text.endIndex
    var expression = text[..<options].drop { $0.isBlank }
    if expression.hasPrefix("cron"), expression.dropFirst(4).first?.isBlank == true {
      expression = expression.dropFirst(4)
    }
    var parser = ScheduleParser(text, from: options)
    self = try parser.options(of: .rule(try CronRule(text: expression)))
  }

  private static func isBlank(_ text: String, after index: String.Index) -> Bool {
    text[text.index(after: index)...].first?.isBlank ?? true
  }
}

extension CronRule {
  /// Returns the dates of the rule after a date. Each is computed when it is read.
  ///
  /// ```swift
  /// let utc = TimeZone(identifier: "UTC") ?? .current
  /// let start = Date(timeIntervalSince1970: 0)
  /// for date in try CronRule("0 9 * * *", timeZone: utc).dates(after: start).prefix(2) {
  ///   print(date)
  /// }
  /// ```
  /// ```text
  /// 1970-01-01 09:00:00 +0000
  /// 1970-01-02 09:00:00 +0000
  /// ```
  public func dates(after date: Date) -> some Sequence<Date> {
    sequence(state: date) { last in
      let next = nextTick(after: last)
      if let next { last = next }
      return next
    }
  }
}
