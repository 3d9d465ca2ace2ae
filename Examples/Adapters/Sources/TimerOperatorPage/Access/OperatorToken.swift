/// A word by which an operator is known to an ``OperatorPage``, with the operator's name.
///
/// The name stands in the log beside each action. Give each operator, and each script, a token of its own.
///
/// ```swift
/// let ada = try OperatorToken("5c1b1e9f0c0e4b7e", of: "ada")
/// ```
public struct OperatorToken: Sendable {
  /// The number of bytes that a token has at least.
  public static let minimumLength = 16
  /// The operator's name.
  public let name: String
  let secret: Secret

  /// Creates a token.
  ///
  /// - Parameters:
  ///   - secret: The token, of 16 bytes or more. `openssl rand -hex 16` makes a good one.
  ///   - name: The operator's name, which isn't empty.
  /// - Throws: ``OperatorTokenError`` if the token is too short or has no name.
  public init(_ secret: String, of name: String = "operator") throws(OperatorTokenError) {
    guard secret.utf8.count >= Self.minimumLength else {
      throw .tooShort(length: secret.utf8.count, name: name)
    }
    guard !name.isEmpty else { throw .nameless }
    self.name = name
    self.secret = Secret(secret)
  }

  /// Reads tokens as they stand in an option or a variable of the environment.
  ///
  /// Each is `TOKEN`, or `NAME:TOKEN` with the name before the first colon. Spaces separate them.
  ///
  /// ```swift
  /// let tokens = try OperatorToken.parse("ada:5c1b1e9f0c0e4b7e grace:0b8f6f0d2a9c41d3")
  /// ```
  ///
  /// - Throws: ``OperatorTokenError`` if there is no token, or one is too short or has no name.
  public static func parse(_ text: String) throws(OperatorTokenError) -> [OperatorToken] {
    let words = text.split(whereSeparator: \.isWhitespace)
    guard !words.isEmpty else { throw .tooShort(length: 0, name: "operator") }
    var tokens: [OperatorToken] = []
    for word in words {
      let parts = word.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      tokens.append(
        parts.count == 2
          ? try OperatorToken(String(parts[1]), of: String(parts[0])) : try OperatorToken(String(word)))
    }
    return tokens
  }
}

/// The reason why a text isn't a token.
public enum OperatorTokenError: Error, Equatable, CustomStringConvertible {
  /// The token has too few bytes.
  case tooShort(length: Int, name: String)
  /// The operator's name is empty.
  case nameless

  /// A sentence that says what was given and what is allowed. It doesn't show the token.
  public var description: String {
    switch self {
    case .tooShort(let length, let name):
      """
      The token of "\(name)" has \(length) bytes. A token has \(OperatorToken.minimumLength) or more, so that it can't be \
      guessed; "openssl rand -hex 16" makes one.
      """
    case .nameless: "A token's name is empty. Write NAME:TOKEN, or TOKEN alone."
    }
  }
}
