/// A parser of cron expressions.
package struct CronParser {
  package let expression: String

  package init(expression: String) {
    self.expression = expression
  }

  package func fields() throws(CronRuleError) -> CronFields {
    var texts = expression.split(whereSeparator: \.isBlank)
    if texts.count == 1, texts[0].hasPrefix("@") {
      guard let meaning = Self.meaning(of: texts[0]) else {
        throw CronRuleError(.unknownWord, in: expression, part: String(texts[0]))
      }
      texts = meaning.split(separator: " ")
    }
    if texts.count == 5 { texts.insert("0", at: 0) }
    guard texts.count == 6 else {
      throw CronRuleError(.fieldCount, in: expression, part: expression)
    }
    let fields = CronFields(
      seconds: try values(of: texts[0], in: .second),
      minutes: try values(of: texts[1], in: .minute),
      hours: try values(of: texts[2], in: .hour),
      daysOfMonth: try values(of: texts[3], in: .dayOfMonth),
      months: try values(of: texts[4], in: .month),
      daysOfWeek: try values(of: texts[5], in: .dayOfWeek),
      namesTimesOfDay: !texts[1].hasPrefix("*") && !texts[2].hasPrefix("*"),
      needsOneDayField: !texts[3].hasPrefix("*") && !texts[5].hasPrefix("*"))
    guard fields.allowsSomeDay else {
      throw CronRuleError(.neverMatches, in: expression, part: expression)
    }
    return fields
  }

  private static func meaning(of word: Substring) -> String? {
    switch word.asciiLowercased {
    case "@hourly": "0 * * * *"
    case "@daily", "@midnight": "0 0 * * *"
    case "@weekly": "0 0 * * 0"
    case "@monthly": "0 0 1 * *"
    case "@yearly", "@annually": "0 0 1 1 *"
    default: nil
    }
  }

  // MARK: Fields

  private func values(of text: Substring, in field: CronRule.Field) throws(CronRuleError) -> ValueSet {
    var values = ValueSet()
    for item in text.split(separator: ",", omittingEmptySubsequences: false) {
      guard !item.isEmpty else { throw error(.invalidValue, text, field) }
      for value in try self.item(item, in: field) {
        // The seventh day of the week is day 0.
        values.insert(field == .dayOfWeek && value == 7 ? 0 : value)
      }
    }
    return values
  }

  /// Reads a value, a range, or a range with a step, or what else a day field may contain.
  private func item(
    _ text: Substring, in field: CronRule.Field
  ) throws(CronRuleError) -> StrideThrough<Int> {
    if let entry = dayEntry(text, in: field) { return stride(from: entry, through: entry, by: 1) }
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    let range = try range(parts[0], in: field, item: text)
    guard parts.count > 1 else { return stride(from: range.lowerBound, through: range.upperBound, by: 1) }
    guard parts.count == 2, let step = step(parts[1], in: field) else {
      throw error(.invalidStep, text, field)
    }
    guard parts[0] == "*" || parts[0].contains("-") else { throw error(.stepWithoutRange, text, field) }
    return stride(from: range.lowerBound, through: range.upperBound, by: step)
  }

  /// Reads `L`, `L-3`, `LW` or `15W` as the day of the month, or `FRI#2` or `FRIL` as the day of the week.
  private func dayEntry(_ text: Substring, in field: CronRule.Field) -> Int? {
    let letters = text.asciiLowercased[...]
    switch field {
    case .dayOfMonth:
      if letters == "l" { return CronMonth.entry(daysBeforeLast: 0) }
      if letters == "lw" { return CronMonth.lastWeekday }
      if letters.hasPrefix("l-"), let count = number(letters.dropFirst(2)), 1...30 ~= count {
        return CronMonth.entry(daysBeforeLast: count)
      }
      guard letters.last == "w", let day = value(letters.dropLast(), in: field) else { return nil }
      return CronMonth.entry(weekdayNearest: day)
    case .dayOfWeek:
      if letters.last == "l", let day = value(letters.dropLast(), in: field) {
        return CronMonth.entry(last: day)
      }
      let parts = letters.split(separator: "#", omittingEmptySubsequences: false)
      guard parts.count == 2, let day = value(parts[0], in: field), let number = number(parts[1]),
        1...5 ~= number
      else { return nil }
      return CronMonth.entry(of: day, number: number)
    case .second, .minute, .hour, .month: return nil
    }
  }

  /// Reads a step. It may be greater than its field; then only the first value of the range remains.
  private func step(_ text: Substring, in field: CronRule.Field) -> Int? {
    guard isNumber(text) else { return nil }
    // A number too large for an Int is also too large for the field.
    let step = min(Int(text) ?? .max, field.numbers.count)
    return step > 0 ? step : nil
  }

  private func range(
    _ text: Substring, in field: CronRule.Field, item: Substring
  ) throws(CronRuleError) -> ClosedRange<Int> {
    if text == "*" { return field.values }
    let bounds = text.split(separator: "-", omittingEmptySubsequences: false)
    guard bounds.count <= 2, let lower = value(bounds[0], in: field),
      var upper = value(bounds[bounds.count - 1], in: field)
    else { throw error(.invalidValue, item, field) }
    // A range that ends with the name SUN ends on day 7, as in FRI-SUN and 5-SUN.
    if field == .dayOfWeek, upper == 0, lower > 0, number(bounds[bounds.count - 1]) == nil { upper = 7 }
    guard lower <= upper else { throw error(.backwardRange, item, field) }
    return lower...upper
  }

  private func value(_ text: Substring, in field: CronRule.Field) -> Int? {
    if let number = number(text) { return field.numbers.contains(number) ? number : nil }
    let name = text.asciiLowercased
    return field.names.firstIndex { $0.asciiLowercased == name }.map { $0 + field.values.lowerBound }
  }

  private func number(_ text: Substring) -> Int? {
    isNumber(text) ? Int(text) : nil
  }

  private func isNumber(_ text: Substring) -> Bool {
    // Int's initializer would accept a sign, too. A digit with a combining mark lies between the digits, but
    // has other bytes.
    !text.isEmpty && text.utf8.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
  }

  private func error(
    _ problem: CronRuleError.Problem, _ part: Substring, _ field: CronRule.Field
  ) -> CronRuleError {
    CronRuleError(problem, in: expression, part: String(part), field: field)
  }
}

extension Character {
  /// Whether this is white space in ASCII.
  package var isBlank: Bool { isASCII && isWhitespace }
}

extension StringProtocol {
  /// The text with the letters A to Z in lower case. Other letters stay: in Unicode some become ASCII ones.
  fileprivate var asciiLowercased: String {
    String(decoding: utf8.map { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 ? $0 | 0x20 : $0 }, as: UTF8.self)
  }
}
