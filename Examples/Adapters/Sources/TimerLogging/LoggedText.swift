/// A text from outside as the value of a line in a log, which it can neither end nor forge.
///
/// A name such as `refresh` stays as it is. A text with a space, a quote, a backslash, an equals sign or a
/// character that isn't visible stands in quotes, with escapes as in Swift: a newline is `\u{A}` and an ANSI
/// escape `\u{1B}`.
///
/// A longer text than the limit is cut. The line then says how long it was, after the quotes:
/// `"no space left on …" (cut, 10240 characters)`.
///
/// ```swift
/// logger.error("The upload failed", metadata: ["error": "\(LoggedText("\(error)"))"])
/// ```
public struct LoggedText: Sendable, CustomStringConvertible {
  /// The number of Unicode scalars that a text keeps by default.
  public static let maximumLength = 1_000

  /// The text as the log shows it.
  public let description: String

  /// Creates the value of a line.
  ///
  /// - Parameters:
  ///   - text: The text, of any length.
  ///   - maximumLength: The number of Unicode scalars to keep. One that isn't positive keeps none.
  /// - Complexity: O(*n*) in the length of the text.
  public init(_ text: String, upTo maximumLength: Int = maximumLength) {
    let scalars = text.unicodeScalars
    let kept = scalars.prefix(max(maximumLength, 0))
    let isCut = kept.endIndex < scalars.endIndex
    var (written, isPlain) = ("", !scalars.isEmpty && !isCut)
    for scalar in kept {
      switch scalar {
      case "\"", "\\":
        written += "\\"
        isPlain = false
      case " ", "=":
        isPlain = false
      default:
        break
      }
      if let escape = VisibleText.escape(of: scalar) {
        written += escape
        isPlain = false
      } else {
        written.unicodeScalars.append(scalar)
      }
    }
    let end = isCut ? "…\" (cut, \(scalars.count) characters)" : "\""
    description = isPlain ? written : "\"\(written)\(end)"
  }
}
