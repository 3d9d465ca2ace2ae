/// A unit of time in the text of a schedule.
enum TimeUnit: String, CaseIterable {
  case days = "d"
  case hours = "h"
  case minutes = "m"
  case seconds = "s"
  case milliseconds = "ms"
  case microseconds = "us"
  case nanoseconds = "ns"

  init?(_ name: String) {
    switch name {
    case "min": self = .minutes
    // The micro sign and the Greek letter.
    case "\u{B5}s", "\u{3BC}s": self = .microseconds
    default: self.init(rawValue: name)
    }
  }

  var attoseconds: UInt128 {
    switch self {
    case .days: 86_400_000_000_000_000_000_000
    case .hours: 3_600_000_000_000_000_000_000
    case .minutes: 60_000_000_000_000_000_000
    case .seconds: 1_000_000_000_000_000_000
    case .milliseconds: 1_000_000_000_000_000
    case .microseconds: 1_000_000_000_000
    case .nanoseconds: 1_000_000_000
    }
  }
}

extension Duration {
  /// The exact duration as a number of the longest unit up to hours that divides it, such as `90 s`.
  var text: String {
    let sign = attoseconds < 0 ? "-" : ""
    let magnitude = attoseconds.magnitude
    if magnitude == 0 { return "0 s" }
    for unit in TimeUnit.allCases where unit != .days && magnitude % unit.attoseconds == 0 {
      return "\(sign)\(magnitude / unit.attoseconds) \(unit.rawValue)"
    }
    let (whole, fraction) = magnitude.quotientAndRemainder(dividingBy: TimeUnit.nanoseconds.attoseconds)
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
