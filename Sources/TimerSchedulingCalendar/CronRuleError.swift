/// An error that says why a text isn't a cron rule.
///
/// ```swift
/// do {
///   start(.rule(try CronRule("0 22-2 * * *")))
/// } catch {
///   print(error)
///   // A range in the hour of a cron rule must not run backwards, but "22-2" was given in
///   // "0 22-2 * * *". Write "22-23,0-2".
/// }
/// ```
public struct CronRuleError: Error, Hashable {
  /// A kind of mistake in a cron rule.
  package enum Problem: Sendable, Hashable {
    /// There are fewer than five fields or more than six.
    case fieldCount
    /// A word that begins with @ isn't known.
    case unknownWord
    /// A text isn't a value of its field, or a range or list of values.
    case invalidValue
    /// A range ends before it begins.
    case backwardRange
    /// A step isn't a number greater than zero.
    case invalidStep
    /// A step follows a single value.
    case stepWithoutRange
    /// None of the allowed months has any of the allowed days.
    case neverMatches
    /// The word after the fields isn't the identifier of a time zone.
    case unknownTimeZone
  }

  /// The kind of mistake.
  package let problem: Problem
  /// The whole expression.
  public let expression: String
  /// The wrong part of the expression.
  public let part: String
  /// The field that contains the wrong part, or nil if the mistake isn't in a single field.
  public let field: CronRule.Field?

  package init(_ problem: Problem, in expression: String, part: String, field: CronRule.Field? = nil) {
    self.problem = problem
    self.expression = expression
    self.part = part
    self.field = field
  }
}

extension CronRuleError: CustomStringConvertible {
  /// Sentences that name the given text, its field, and the allowed values.
  public var description: String {
    switch problem {
    case .fieldCount:
      """
      A cron rule must have five fields (minute, hour, day of month, month, day of week), or six with the second \
      before them, but \(fieldCount) \(fieldCount == 1 ? "was" : "were") given in "\(expression)".
      """
    case .unknownWord:
      """
      A cron rule of one word must be @hourly, @daily, @midnight, @weekly, @monthly, @yearly or @annually, \
      but "\(part)" was given.
      """
    case .neverMatches:
      "A cron rule must allow some date, but none of its months has any of its days in \"\(expression)\"."
    case .unknownTimeZone:
      """
      The time zone of a cron rule must be an identifier such as Europe/Berlin, but "\(part)" was given in \
      "\(expression)".\(mayBeField ? " As the last of six fields, it must be a day of the week, such as FRI." : "")
      """
    case .invalidValue:
      "The \(fieldName) must be \(fieldValues), or a range or list of these, \(given).\(advice)"
    case .backwardRange:
      "A range in the \(fieldName) must not run backwards, \(given).\(advice)"
    case .invalidStep:
      "A step in the \(fieldName) must be a number greater than zero, \(given)."
    case .stepWithoutRange:
      "A step in the \(fieldName) must follow * or a range, \(given).\(advice)"
    }
  }

  private var fieldName: String { "\(field?.title ?? "field") of a cron rule" }

  private var fieldCount: Int { expression.split(whereSeparator: \.isBlank).count }

  private var mayBeField: Bool { fieldCount == 6 && part.allSatisfy(\.isLetter) }

  private var given: String {
    part == expression ? "but \"\(part)\" was given" : "but \"\(part)\" was given in \"\(expression)\""
  }

  private var fieldValues: String {
    guard let field else { return "*" }
    let numbers = "a number from \(field.numbers.lowerBound) to \(field.numbers.upperBound)"
    guard let first = field.names.first, let last = field.names.last else { return "* or \(numbers)" }
    return "*, \(numbers), a name from \(first) to \(last)"
  }

  /// A sentence that names what the caller may write instead. It is empty if there is nothing to name.
  private var advice: String {
    guard let field else { return "" }
    if problem == .invalidValue {
      return field.entries.isEmpty
        ? "" : " Alone or in a list, but not in a range or with a step, it may be \(field.entries)."
    }
    let bounds = part.split { $0 == "-" || $0 == "/" }
    guard bounds.count == 2 else { return "" }
    let (first, last) = (field.values.lowerBound, field.values.upperBound)
    // Day 7 of a week is day 0, its first.
    let start = (Int(bounds[0]) ?? first) > last ? String(first) : String(bounds[0])
    return switch problem {
    case .backwardRange where start == String(first): " Write \"\(first)-\(bounds[1])\"."
    case .backwardRange: " Write \"\(start)-\(last),\(first)-\(bounds[1])\"."
    case .stepWithoutRange: " Write \"\(start)-\(last)/\(bounds[1])\"."
    case .fieldCount, .unknownWord, .invalidValue, .invalidStep, .neverMatches, .unknownTimeZone: ""
    }
  }
}
