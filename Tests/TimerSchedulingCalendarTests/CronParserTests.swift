import Foundation
import TestSupport
import Testing
import TimerSchedulingCalendar

@Suite(.guarantee("G14", "G44")) struct CronParserTests {
  private func rule(_ expression: String) throws(CronRuleError) -> CronRule {
    try CronRule(expression, timeZone: .gmt)
  }

  // MARK: Accepted

  @Test(arguments: [
    ("*/15 * * * *", [0, 15, 30, 45]), ("10-40/5 * * * *", [10, 15, 20, 25, 30, 35, 40]),
    ("10-19/4 * * * *", [10, 14, 18]), ("7 * * * *", [7]), ("007 * * * *", [7]),
    ("0,59,30 * * * *", [0, 30, 59]), ("5,3-5,*/20 * * * *", [0, 3, 4, 5, 20, 40]), ("8-8 * * * *", [8]),
    ("*/60 * * * *", [0]), ("*/59 * * * *", [0, 59]), ("*/61 * * * *", [0]), ("*/100 * * * *", [0]),
    ("7-30/100 * * * *", [7]), ("*/99999999999999999999 * * * *", [0]),
  ])
  func `Lists, ranges and steps`(expression: String, minutes: [Int]) throws {
    let values = try rule(expression).fields.minutes
    #expect((0..<64).filter(values.contains) == minutes)
  }

  @Test(arguments: [
    ("0 0 * * 7", "0 0 * * 0"), ("0 0 * * sun", "0 0 * * 0"), ("0 0 * * 5-7", "0 0 * * 0,5,6"),
    ("0 0 * * 0-7", "0 0 * * 1-7"), ("0 0 * * FRI-SUN", "0 0 * * 5-7"), ("0 0 * * Sun-Tue", "0 0 * * 0-2"),
    ("0 0 * * SUN-SUN", "0 0 * * 0"), ("0 0 * * 1-SUN/2", "0 0 * * 1,3,5,7"),
    ("0 0 * * 4-SUN", "0 0 * * 4-7"), ("0 0 * * SUN-4", "0 0 * * 0-4"), ("0 0 1 2-MAR *", "0 0 1 FEB-3 *"),
    ("0 */25 * * *", "0 */24 * * *"), ("0 0 */32 * *", "0 0 */31 * *"), ("0 0 1 */13 *", "0 0 1 1 *"),
    ("0 0 * * 0-7/8", "0 0 * * 0"), ("0 0 * * 1-7/8", "0 0 * * 1"), ("0 0 * * */7", "0 0 * * */7,0,7"),
    ("0 0 * * */2", "0 0 * * */2,6"), ("0 0 1 JAN-MAR,dec *", "0 0 1 1-3,12 *"),
    ("  0\t0  1 1\n*\r\n", "0 0 1 1 *"), ("0 0 * * *", "0 0 1-31 1-12 *"), ("@hourly", "0 * * * *"),
    ("@daily", "0 0 * * *"), ("@midnight", "0 0 * * *"), ("@weekly", "0 0 * * SUN"),
    ("@monthly", "0 0 1 * *"), ("@yearly", "0 0 1 1 *"), (" @Annually ", "0 0 1 1 *"),
    ("0 30 9 * * *", "30 9 * * *"), ("00 0 0 * * SUN", "@weekly"), ("*/60 */15 * * * *", "*/15 * * * *"),
    ("*/15 30 9 * * *", "0,15,30,45 30 9 * * *"), ("0 0 l,lw,15w *  7L", "0 0 LW,L,15W * SUNL"),
    ("0 0 L-03 * *", "0 0 l-3 * *"), ("0 0 * * fri#2,0#01", "0 0 * * 7#1,5#2"),
    ("0 0 * * 0L,5l", "0 0 * * FRIL,sunL"),
  ])
  func `Two spellings of one rule`(left: String, right: String) throws {
    #expect(try rule(left) == rule(right))
    #expect(try Set([rule(left), rule(right)]).count == 1)
  }

  @Test(arguments: [
    ("0 0 1 * *", "0 0 2 * *"), ("0 0 1 * 1", "0 0 1 * *"),
    // A day that both allow, or that either does.
    ("0 0 */2 * 1", "0 0 1-31/2 * 1"),
    // One says how often, the other when: they differ where the clock is changed.
    ("*/30 2 * * *", "0,30 2 * * *"), ("0 * * * *", "0 0-23 * * *"), ("1 * * * * *", "* * * * *"),
    ("0 0 L * *", "0 0 LW * *"), ("0 0 L-1 * *", "0 0 L * *"), ("0 0 31W * *", "0 0 LW * *"),
    ("0 0 * * FRI#4", "0 0 * * FRIL"), ("0 0 * * SUN#1", "0 0 * * SUN"), ("0 0 * * SAT#1", "0 0 * * SUN#1"),
  ])
  func `Two rules`(left: String, right: String) throws {
    #expect(try rule(left) != rule(right))
  }

  // MARK: Rejected

  @Test(arguments: [
    ("", 0), ("* * * *", 4), ("0 0 0 * * * *", 7), ("0", 1), ("@daily *", 2), ("  \n", 0),
  ])
  func `Fewer fields than five or more than six`(expression: String, count: Int) {
    expect(
      expression, .fieldCount, nil, expression,
      """
      A cron rule must have five fields (minute, hour, day of month, month, day of week), or six with the second \
      before them, but \(count) \(count == 1 ? "was" : "were") given in "\(expression)".
      """)
  }

  @Test(arguments: ["@reboot", "@", "@every", "@hourly5", "@wee\u{212A}ly"])
  func `A word that isn't known`(word: String) {
    expect(
      word, .unknownWord, nil, word,
      """
      A cron rule of one word must be @hourly, @daily, @midnight, @weekly, @monthly, @yearly or @annually, \
      but "\(word)" was given.
      """)
  }

  private static let rules: [(CronRule.Field, values: String, advice: String)] = [
    (.minute, "* or a number from 0 to 59", ""),
    (.hour, "* or a number from 0 to 23", ""),
    (
      .dayOfMonth, "* or a number from 1 to 31",
      " Alone or in a list, but not in a range or with a step, it may be L, L-1 to L-30, LW or 1W to 31W."
    ),
    (.month, "*, a number from 1 to 12, a name from JAN to DEC", ""),
    (
      .dayOfWeek, "*, a number from 0 to 7, a name from SUN to SAT",
      """
       Alone or in a list, but not in a range or with a step, it may be a day with L or with #1 to #5, as in FRIL and \
      FRI#2.
      """
    ),
    (.second, "* or a number from 0 to 59", ""),
  ]

  @Test(
    arguments: [
      ("60 * * * *", "60", 0), ("-5 * * * *", "-5", 0), ("+5 * * * *", "+5", 0), ("5- * * * *", "5-", 0),
      ("x * * * *", "x", 0), ("1,,2 * * * *", "1,,2", 0), (", * * * *", ",", 0), ("1, * * * *", "1,", 0),
      ("0,70-80/5 * * * *", "70-80/5", 0), ("1-2-3 * * * *", "1-2-3", 0), ("** * * * *", "**", 0),
      ("*-5 * * * *", "*-5", 0), ("99999999999999999999 * * * *", "99999999999999999999", 0),
      ("٣ * * * *", "٣", 0), ("/5 * * * *", "/5", 0), ("H * * * *", "H", 0), ("? * * * *", "?", 0),
      ("JAN * * * *", "JAN", 0),
      ("0 24 * * *", "24", 1), ("0 8-24 * * *", "8-24", 1),
      ("0 0 0 * *", "0", 2), ("0 0 32 * *", "32", 2), ("0 0 0W * *", "0W", 2), ("0 0 32W * *", "32W", 2),
      ("0 0 W * *", "W", 2), ("0 0 L-0 * *", "L-0", 2), ("0 0 L-31 * *", "L-31", 2), ("0 0 L- * *", "L-", 2),
      ("0 0 L3 * *", "L3", 2), ("0 0 LL * *", "LL", 2), ("0 0 L-3W * *", "L-3W", 2),
      ("0 0 LW-1 * *", "LW-1", 2),
      ("0 0 *W * *", "*W", 2), ("0 0 1-15W * *", "1-15W", 2), ("0 0 1W-5W * *", "1W-5W", 2),
      ("0 0 L-3-1 * *", "L-3-1", 2), ("0 0 L/2 * *", "L/2", 2), ("0 0 15W/2 * *", "15W/2", 2),
      ("0 0 1-L * *", "1-L", 2), ("0 0 1,L-x * *", "L-x", 2), ("0 0 FRIL * *", "FRIL", 2),
      ("0 0 5#2 * *", "5#2", 2),
      ("0 0 15W\u{301} * *", "15W\u{301}", 2), ("0 0 L\u{301} * *", "L\u{301}", 2),
      ("0 0 L-3\u{301} * *", "L-3\u{301}", 2),
      ("0 0 1 0 *", "0", 3), ("0 0 1 13 *", "13", 3), ("0 0 1 January *", "January", 3),
      ("0 0 1 MON *", "MON", 3),
      // Letters that become ASCII ones in upper case, and a digit with a mark.
      ("0 0 1 ſep *", "ſep", 3), ("0 0 * * ſun", "ſun", 4), ("0 0 * * frı", "frı", 4),
      ("5\u{301} * * * *", "5\u{301}", 0), ("５ * * * *", "５", 0), ("0 9\u{A0}17 * * *", "9\u{A0}17", 1),
      ("0 0 * * 8", "8", 4), ("0 0 * * MÄR", "MÄR", 4), ("0 0 * * L", "L", 4), ("0 0 * * 8L", "8L", 4),
      ("0 0 * * L5", "L5", 4), ("0 0 * * *L", "*L", 4), ("0 0 * * FRI#0", "FRI#0", 4),
      ("0 0 * * FRI#6", "FRI#6", 4),
      ("0 0 * * FRI#L", "FRI#L", 4), ("0 0 * * 8#1", "8#1", 4), ("0 0 * * #2", "#2", 4),
      ("0 0 * * FRI#", "FRI#", 4),
      ("0 0 * * FRI#2#3", "FRI#2#3", 4), ("0 0 * * FRI#-2", "FRI#-2", 4),
      ("0 0 * * MON-FRI#2", "MON-FRI#2", 4),
      ("0 0 * * MON#1-FRI#1", "MON#1-FRI#1", 4), ("0 0 * * FRI#1/2", "FRI#1/2", 4),
      ("0 0 * * MON-FRIL", "MON-FRIL", 4),
      ("0 0 * * LW", "LW", 4), ("0 0 * * 1W", "1W", 4), ("0 0 * * FRI#2\u{301}", "FRI#2\u{301}", 4),
      ("0 0 * * FRI#99999999999999999999", "FRI#99999999999999999999", 4),
      ("60 0 0 * * *", "60", 5), ("L 0 0 * * *", "L", 5), ("0 60 0 * * *", "60", 0),
      ("0 0 24 * * *", "24", 1),
      ("0 0 9 * * Europe/Berlin", "Europe/Berlin", 4), ("0 0 L L *", "L", 3), ("0 0 0 * * ?", "?", 4),
    ] as [(String, String, Int)])
  func `A value outside its field is refused`(expression: String, part: String, number: Int) {
    let (field, values, advice) = Self.rules[number]
    expect(
      expression, .invalidValue, field, part,
      """
      The \(field.title) of a cron rule must be \(values), or a range or list of these, \
      but "\(part)" was given in "\(expression)".\(advice)
      """)
  }

  @Test(arguments: [
    ("40-10 * * * *", "40-10", CronRule.Field.minute, #" Write "40-59,0-10"."#),
    ("0 22-2 * * *", "22-2", .hour, #" Write "22-23,0-2"."#),
    ("0 0 25-5 * *", "25-5", .dayOfMonth, #" Write "25-31,1-5"."#),
    ("0 0 1 NOV-feb *", "NOV-feb", .month, #" Write "NOV-12,1-feb"."#),
    ("0 0 * * 5-0", "5-0", .dayOfWeek, #" Write "5-6,0-0"."#),
    ("0 0 * * 7-1", "7-1", .dayOfWeek, #" Write "0-1"."#),
    ("0 0 * * 7-6", "7-6", .dayOfWeek, #" Write "0-6"."#),
    ("0 0 * * FRI-MON", "FRI-MON", .dayOfWeek, #" Write "FRI-6,0-MON"."#),
    ("0 22-2/2 * * *", "22-2/2", .hour, ""),
  ])
  func `A range that runs backwards`(
    expression: String, part: String, field: CronRule.Field, advice: String
  ) throws {
    expect(
      expression, .backwardRange, field, part,
      """
      A range in the \(field.title) of a cron rule must not run backwards, \
      but "\(part)" was given in "\(expression)".\(advice)
      """)
    try expectIsRule(advice, insteadOf: part, in: expression)
  }

  @Test(arguments: [
    ("*/0 * * * *", "*/0", CronRule.Field.minute), ("*/00 * * * *", "*/00", .minute),
    ("*/ * * * *", "*/", .minute), ("0-30/x * * * *", "0-30/x", .minute),
    ("*/5/5 * * * *", "*/5/5", .minute), ("0-30/-5 * * * *", "0-30/-5", .minute),
    ("0 */+2 * * *", "*/+2", .hour), ("0 0 */2.5 * *", "*/2.5", .dayOfMonth),
    ("0 0 1 */FEB *", "*/FEB", .month), ("0 0 * * 0-7/0", "0-7/0", .dayOfWeek),
    ("*/0x5 * * * *", "*/0x5", .minute), ("*/5\u{301} * * * *", "*/5\u{301}", .minute),
  ])
  func `A step that isn't possible`(expression: String, part: String, field: CronRule.Field) {
    expect(
      expression, .invalidStep, field, part,
      """
      A step in the \(field.title) of a cron rule must be a number greater than zero, \
      but "\(part)" was given in "\(expression)".
      """)
  }

  @Test(arguments: [
    ("5/15 * * * *", "5/15", CronRule.Field.minute, #" Write "5-59/15"."#),
    ("0 0 * * 7/2", "7/2", .dayOfWeek, #" Write "0-6/2"."#),
    ("0 0 * * MON/2", "MON/2", .dayOfWeek, #" Write "MON-6/2"."#),
  ])
  func `A step after a single value`(
    expression: String, part: String, field: CronRule.Field, advice: String
  ) throws {
    expect(
      expression, .stepWithoutRange, field, part,
      """
      A step in the \(field.title) of a cron rule must follow * or a range, \
      but "\(part)" was given in "\(expression)".\(advice)
      """)
    try expectIsRule(advice, insteadOf: part, in: expression)
  }

  @Test(arguments: [
    "0 0 30 2 *", "0 0 31 4,6,9,11 *", "0 0 30,31 FEB *", "* * 31 2-4/2 */2", "0 0 30 2 */3",
    "0 0 L-29 2 *", "0 0 L-30 2,4,6,9,11 *", "0 0 30W,31W 2 *", "0 0 31W 4 *", "59 0 0 30 2 *",
    // Both day fields have to allow the day, and the first isn't a month's last Friday.
    "0 0 */31 2 5L",
  ])
  func `A rule that allows no date`(expression: String) {
    expect(
      expression, .neverMatches, nil, expression,
      #"A cron rule must allow some date, but none of its months has any of its days in "\#(expression)"."#)
  }

  @Test(arguments: [
    "0 0 29 2 *", "0 0 29 2 */7", "0 0 30 2 1", "0 0 30 2,3 *", "0 0 31 12 *",
    "0 0 * 2 0#5", "0 0 L-28 2 *", "0 0 29W 2 */7,1", "0 0 */31,29W 2 FRI#4",
  ])
  func `A rule that allows few dates`(expression: String) {
    #expect(throws: Never.self) { try rule(expression) }
  }

  private func expect(
    _ expression: String, _ problem: CronRuleError.Problem, _ field: CronRule.Field?, _ part: String,
    _ message: String, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    do {
      let rule = try rule(expression)
      Issue.record("\(rule) was accepted.", sourceLocation: sourceLocation)
    } catch {
      #expect(error.problem == problem, sourceLocation: sourceLocation)
      #expect(error.field == field, sourceLocation: sourceLocation)
      #expect(error.part == part, sourceLocation: sourceLocation)
      #expect(error.expression == expression, sourceLocation: sourceLocation)
      #expect(error.description == message, sourceLocation: sourceLocation)
    }
  }

  /// Checks that the expression an error advises to write is a rule.
  private func expectIsRule(_ advice: String, insteadOf part: String, in expression: String) throws {
    let quoted = advice.split(separator: "\"")
    guard quoted.count == 3 else { return }
    #expect(throws: Never.self) {
      try rule(expression.replacing(part, with: quoted[1]))
    }
  }
}
