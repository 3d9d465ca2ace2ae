extension Duration {
  /// Exact for whole seconds, as a division isn't.
  var seconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }

  /// A lateness, such as `84 µs`, `1.2 ms` or `3.0 s`.
  package var abbreviated: String {
    switch seconds {
    case ..<0.001: "\(Int(seconds * 1_000_000)) µs"
    case ..<0.1: "\((seconds * 1_000).withOneDecimal) ms"
    case ..<1: "\(Int(seconds * 1_000)) ms"
    default: "\(seconds.withOneDecimal) s"
    }
  }

  /// The time that is left, such as `4.2 s`, `2:05` or `1:02:05`. The page's script writes it in the same
  /// way.
  package var countdown: String {
    guard seconds >= 60 else { return "\(max(seconds, 0).withOneDecimal) s" }
    let whole = Int(components.seconds)
    let (hours, minutes, rest) = (whole / 3_600, whole / 60 % 60, whole % 60)
    return hours > 0
      ? "\(hours):\(minutes.twoDigits):\(rest.twoDigits)" : "\(minutes):\(rest.twoDigits)"
  }
}

extension Double {
  fileprivate var withOneDecimal: String {
    let tenths = Int(min(self, 1e15) * 10)
    return "\(tenths / 10).\(tenths % 10)"
  }
}

extension Int {
  fileprivate var twoDigits: String { self < 10 ? "0\(self)" : "\(self)" }

  /// The number with a comma before each three digits.
  package var grouped: String {
    var text = ""
    for (index, digit) in String(magnitude).reversed().enumerated() {
      if index > 0, index % 3 == 0 { text.append(",") }
      text.append(digit)
    }
    return (self < 0 ? "-" : "") + String(text.reversed())
  }
}
