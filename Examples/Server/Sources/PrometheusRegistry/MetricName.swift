/// A metric's name as Prometheus accepts it: letters, digits, underscores and colons, and no digit in front.
struct MetricName {
  let text: String

  /// Replaces what isn't accepted, and appends a suffix unless the name has it.
  init(_ label: String, suffix: String = "") {
    let name = label.replacingAll(except: { $0.isLetterOrDigit || $0 == "_" || $0 == ":" })
    text = name.hasSuffix(suffix) ? name : name + suffix
  }
}

extension String {
  /// Replaces scalars that aren't accepted by underscores, and puts one before a digit in front.
  func replacingAll(except isAccepted: (Unicode.Scalar) -> Bool) -> String {
    let text = String(String.UnicodeScalarView(unicodeScalars.map { isAccepted($0) ? $0 : "_" }))
    guard let first = text.first, !first.isNumber else { return "_" + text }
    return text
  }
}

extension Unicode.Scalar {
  var isLetterOrDigit: Bool {
    switch self {
    case "a"..."z", "A"..."Z", "0"..."9": true
    default: false
    }
  }
}
