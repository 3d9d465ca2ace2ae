/// The rule for characters of a text from outside, such as a timer's name: how those that aren't visible are
/// written.
///
/// A character that has no width, that begins a new line or an escape sequence, that changes the order of
/// others or that looks like an empty space is written as in Swift, as in `\u{200B}`.
package enum VisibleText {
  /// Returns the escape of a scalar. Nil for one that is shown as it is.
  ///
  /// - Parameter isAtEnd: Whether the scalar is the first or the last of its text, where a space isn't seen.
  package static func escape(of scalar: Unicode.Scalar, isAtEnd: Bool = false) -> String? {
    isVisible(scalar, isAtEnd: isAtEnd)
      ? nil : "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
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
