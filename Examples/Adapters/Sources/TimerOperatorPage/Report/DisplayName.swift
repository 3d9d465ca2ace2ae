import TimerScheduling

/// A timer's name as it is shown: not longer than fits, and with escapes for what isn't visible.
///
/// A character that has no width, that changes the order of others or that looks like an empty space is written as in
/// Swift, as in `\u{200B}`, so that two names that look alike can be told apart.
package enum DisplayName {
  package static let maximumLength = 80

  static func text(for snapshot: TimerSnapshot) -> String {
    snapshot.name.map { text(for: $0) } ?? "#\(snapshot.id)"
  }

  /// Counts Unicode scalars, since a single character may have any number of them.
  package static func text(for name: String, upTo maximumLength: Int = maximumLength) -> String {
    var text = String.UnicodeScalarView()
    let scalars = name.unicodeScalars
    for (number, index) in scalars.indices.enumerated() {
      guard number < maximumLength else { return String(text) + "…" }
      let scalar = scalars[index]
      let isAtEnd = index == scalars.startIndex || scalars.index(after: index) == scalars.endIndex
      if isVisible(scalar, isAtEnd: isAtEnd) {
        text.append(scalar)
      } else {
        text.append(contentsOf: "\\u{\(String(scalar.value, radix: 16, uppercase: true))}".unicodeScalars)
      }
    }
    return text.isEmpty ? "(empty)" : String(text)
  }

  private static func isVisible(_ scalar: Unicode.Scalar, isAtEnd: Bool) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: false
    case .spaceSeparator: scalar == " " && !isAtEnd
    // A blank of Braille, and fillers of Hangul, look like spaces.
    default: scalar != "\u{2800}" && !scalar.properties.isDefaultIgnorableCodePoint
    }
  }
}
