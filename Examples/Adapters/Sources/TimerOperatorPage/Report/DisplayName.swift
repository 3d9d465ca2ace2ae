import TimerScheduling

/// A timer's name as it is shown: not longer than fits, and without what isn't visible.
package enum DisplayName {
  package static let maximumLength = 80

  static func text(for snapshot: TimerSnapshot) -> String {
    snapshot.name.map { text(for: $0) } ?? "#\(snapshot.id)"
  }

  /// Counts Unicode scalars, since a single character may have any number of them.
  package static func text(for name: String) -> String {
    var text = String.UnicodeScalarView()
    for (index, scalar) in name.unicodeScalars.enumerated() {
      guard index < maximumLength else { return String(text) + "…" }
      text.append(isVisible(scalar) ? scalar : "\u{FFFD}")
    }
    return text.isEmpty ? "(empty)" : String(text)
  }

  private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: false
    default: true
    }
  }
}
