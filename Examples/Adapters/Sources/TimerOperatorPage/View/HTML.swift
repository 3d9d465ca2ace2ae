/// Markup, into which text is put as text.
///
/// Interpolated text is escaped, for content and for attributes in quotes. Interpolated markup isn't.
package struct HTML: ExpressibleByStringInterpolation {
  package let text: String

  package init(stringLiteral text: String) { self.text = text }

  package init(stringInterpolation: StringInterpolation) { text = stringInterpolation.text }

  package init(joining parts: some Sequence<HTML>) { text = parts.map(\.text).joined(separator: "\n") }

  package struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var text = ""

    package init(literalCapacity: Int, interpolationCount: Int) { text.reserveCapacity(literalCapacity) }

    package mutating func appendLiteral(_ literal: String) { text += literal }

    package mutating func appendInterpolation(_ html: HTML) { text += html.text }

    package mutating func appendInterpolation(_ text: String) {
      for scalar in text.unicodeScalars {
        switch scalar {
        case "&": self.text += "&amp;"
        case "<": self.text += "&lt;"
        case ">": self.text += "&gt;"
        case "\"": self.text += "&quot;"
        case "'": self.text += "&#39;"
        default: self.text.unicodeScalars.append(scalar)
        }
      }
    }
  }
}

extension HTML {
  /// A date by ISO 8601 in Universal Time, which a script shows in the reader's time zone, too.
  static func time(_ date: String) -> HTML { "<time datetime=\"\(date)\">\(date)</time>" }

  /// A text that a browser may break after punctuation, so that it needn't break a word.
  static func breakable(_ text: String) -> HTML {
    var (html, part) = (HTML(stringLiteral: ""), "")
    for character in text {
      part.append(character)
      guard "@./:;,-_=&?".contains(character) else { continue }
      html = "\(html)\(part)<wbr>"
      part = ""
    }
    return "\(html)\(part)"
  }

  /// A text as it was written, with its lines, and with escapes for what isn't visible.
  static func whole(_ text: String) -> HTML {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      line.isEmpty ? "" : DisplayName.text(for: String(line), upTo: .max)
    }
    return "\(lines.joined(separator: "\n"))"
  }
}
