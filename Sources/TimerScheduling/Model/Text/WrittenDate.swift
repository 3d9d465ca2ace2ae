/// A date as schedules write it, in ISO 8601 and the Gregorian calendar of the years 1 to 9999.
struct WrittenDate {
  static let first = -62_135_596_800 * nanosecondsInSecond
  private static let nanosecondsInSecond: Int128 = 1_000_000_000

  /// Since 1970, in Universal Time.
  var nanoseconds: Int128

  init(nanoseconds: Int128) { self.nanoseconds = nanoseconds }

  /// Reads a date such as `2026-11-22T09:00:00.25Z` or `2026-11-22T10:00:00+01:00`. Digits after the ninth
  /// decimal are dropped. Returns nil for any other form, and for a day or a time that doesn't exist.
  init?(_ text: String) {
    var rest = text.utf8[...]
    func skip(_ mark: Unicode.Scalar) -> Bool {
      guard rest.first == UInt8(ascii: mark) else { return false }
      rest.removeFirst()
      return true
    }
    func number(_ count: Int, in values: ClosedRange<Int>) -> Int? {
      let digits = rest.prefix(count)
      guard digits.count == count, digits.allSatisfy(\.isDigit) else { return nil }
      rest = rest.dropFirst(count)
      let number = digits.reduce(0) { 10 * $0 + $1.digitValue }
      return values.contains(number) ? number : nil
    }

    guard let year = number(4, in: 1...9999), skip("-"), let month = number(2, in: 1...12), skip("-"),
      let day = number(2, in: 1...31), skip("T"), let hour = number(2, in: 0...23), skip(":"),
      let minute = number(2, in: 0...59), skip(":"), let second = number(2, in: 0...59)
    else { return nil }
    var fraction = 0
    if skip(".") {
      let digits = Array(rest.prefix(while: \.isDigit))
      guard !digits.isEmpty else { return nil }
      fraction = (0..<9).reduce(0) { 10 * $0 + (digits.indices.contains($1) ? digits[$1].digitValue : 0) }
      rest = rest.dropFirst(digits.count)
    }
    var offset = 0
    if !skip("Z") {
      let isNegative = skip("-")
      guard isNegative || skip("+"), let hours = number(2, in: 0...23), skip(":"),
        let minutes = number(2, in: 0...59)
      else { return nil }
      offset = (hours * 60 + minutes) * (isNegative ? -60 : 60)
      // ISO 8601 has no negative zero.
      if offset == 0, isNegative { return nil }
    }
    let days = Self.days(year, month, day)
    guard rest.isEmpty, Self.day(days) == (year, month, day) else { return nil }
    let seconds = days * 86_400 + hour * 3600 + minute * 60 + second - offset
    nanoseconds = Int128(seconds) * Self.nanosecondsInSecond + Int128(fraction)
  }

  /// The date in Universal Time, to the nanosecond, or a distant one if it is outside the range.
  var text: String {
    if nanoseconds >= Deadline.never.nanoseconds { return "distantFuture" }
    if nanoseconds < Self.first { return "distantPast" }
    let (seconds, fraction) = nanoseconds.dividedRoundingDown(by: Self.nanosecondsInSecond)
    let (days, second) = Int(seconds).dividedRoundingDown(by: 86_400)
    let (year, month, day) = Self.day(days)
    func digits(_ number: Int, _ count: Int = 2) -> Substring { String(10_000 + number).suffix(count) }
    let time = [second / 3600, second / 60 % 60, second % 60].map { digits($0) }.joined(separator: ":")
    let part = fractionText(ofBillionths: Int(fraction))
    return "\(digits(year, 4))-\(digits(month))-\(digits(day))T\(time)\(part)Z"
  }

  // Both are from Howard Hinnant's "chrono-Compatible Low-Level Date Algorithms". Years begin in March, so
  // that the leap day is the last. The first of March of the year 0 is 719,468 days before 1970.

  /// Returns the number of days from 1970. The 30th of February is the 1st or 2nd of March.
  private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
    let year = month > 2 ? year : year - 1
    let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
    return year * 365 + year / 4 - year / 100 + year / 400 + dayOfYear - 719_468
  }

  private static func day(_ days: Int) -> (year: Int, month: Int, day: Int) {
    let (cycle, dayOfCycle) = (days + 719_468).quotientAndRemainder(dividingBy: 146_097)
    let year = (dayOfCycle - dayOfCycle / 1460 + dayOfCycle / 36_524 - dayOfCycle / 146_096) / 365
    let dayOfYear = dayOfCycle - (365 * year + year / 4 - year / 100)
    let month = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * month + 2) / 5 + 1
    return (cycle * 400 + year + month / 10, (month + 2) % 12 + 1, day)
  }
}

extension UInt8 {
  var isDigit: Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= self }

  var digitValue: Int { Int(self) - 0x30 }
}
