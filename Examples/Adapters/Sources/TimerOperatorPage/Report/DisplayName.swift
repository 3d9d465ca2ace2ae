import TimerLogging
import TimerScheduling

/// A timer's name as it is shown: not longer than fits, and with escapes for what isn't visible.
///
/// `VisibleText` says which characters these are, so that two names that look alike can be told apart.
package enum DisplayName {
  package static let maximumLength = 80

  static func text(for snapshot: TimerSnapshot) -> String {
    snapshot.name.map { text(for: $0) } ?? "#\(snapshot.id)"
  }

  static func text(for timer: ScheduledTimer) -> String {
    timer.name.map { text(for: $0) } ?? "#\(timer.id)"
  }

  /// Counts Unicode scalars, since a single character may have any number of them.
  package static func text(for name: String, upTo maximumLength: Int = maximumLength) -> String {
    var text = String.UnicodeScalarView()
    let scalars = name.unicodeScalars
    for (number, index) in scalars.indices.enumerated() {
      guard number < maximumLength else { return String(text) + "…" }
      let scalar = scalars[index]
      let isAtEnd = index == scalars.startIndex || scalars.index(after: index) == scalars.endIndex
      if let escape = VisibleText.escape(of: scalar, isAtEnd: isAtEnd) {
        text.append(contentsOf: escape.unicodeScalars)
      } else {
        text.append(scalar)
      }
    }
    return text.isEmpty ? "(empty)" : String(text)
  }
}
